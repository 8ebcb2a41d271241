// Runs one workload a given number of times: `Benchmarks WORKLOAD COUNT`. What one element costs is the difference of two
// counts, in instructions (`valgrind --tool=callgrind`), divided by the difference of the counts; `count.sh` does that.

let arguments = CommandLine.arguments

guard arguments.count == 3, let workload = Workload.all[arguments[1]], let count = Int(arguments[2]), count >= 0 else {
  print("usage: Benchmarks WORKLOAD COUNT\nworkloads: \(Workload.all.keys.sorted().joined(separator: " "))")
  exitWithUsage()
}
print(workload.run(count))
