// How the types of the tutorial are released: `Tools/run examples` appends each function to the steps that use the type.

@MainActor func releaseJobModel(_ watch: (AnyObject) -> Void) -> Any {
  let reports = PassthroughSubject<Int, Never>()
  let job = JobModel(reports: reports)
  watch(job)
  reports.send(1)
  return reports
}
