import Streams

let reports = PassthroughSubject<Int, Never>()
let job = JobModel(reports: reports)
let display = job.$status.sink { print("The job is", $0) }
// Prints The job is waiting

reports.send(100)
reports.send(50)
print("\(job.rows) rows")
// Prints The job is running
// Prints 150 rows

for await status in job.$status.values {
  if status == "stalled" { break }
}
// Prints The job is stalled
