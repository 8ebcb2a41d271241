import Dispatch
import StreamTesting
import Testing

@testable import App

@MainActor @Test func `a job stalls after two seconds without a report`() {
  let scheduler = DispatchQueue.test
  let reports = PassthroughSubject<Int, Never>()
  let job = JobModel(reports: reports, scheduler: scheduler.eraseToAnyScheduler())
  #expect(job.status == "waiting")

  reports.send(100)
  reports.send(50)
  scheduler.advance(by: .milliseconds(1_999))
  #expect(job.rows == 150)
  #expect(job.status == "running")

  scheduler.advance(by: .milliseconds(1))
  #expect(job.status == "stalled")

  reports.send(50)
  #expect(job.rows == 200)
  #expect(job.status == "running")
}

@MainActor @Test func `each report starts the two seconds again`() {
  let scheduler = DispatchQueue.test
  scheduler.frame = .seconds(1)
  let reports = scheduler.hot("-a-a----a", values: ["a": 50])
  let job = JobModel(reports: reports, scheduler: scheduler.eraseToAnyScheduler())

  scheduler.expect(
    job.$status, "wr-s----r-s", values: ["w": "waiting", "r": "running", "s": "stalled"])
}
