import Dispatch
import StreamTesting
import Testing

@testable import App

@MainActor @Test func `a job stalls after two seconds without a report`() {
  let scheduler = DispatchQueue.test
  let reports = PassthroughSubject<Int, Never>()
  let job = JobModel(reports: reports, scheduler: scheduler.eraseToAnyScheduler())
  #expect(job.status == "waiting")
}
