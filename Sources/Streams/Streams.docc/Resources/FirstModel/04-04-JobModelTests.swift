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
}
