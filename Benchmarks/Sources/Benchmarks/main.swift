import Streams

func sequence(_ n: Int) -> Int {
  let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  let c = (0..<n).publisher.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }.sink { total.pointee &+= $0 }
  c.cancel()
  return total.pointee
}
func just(_ n: Int) -> Int {
  let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  for i in 0..<n {
    let c = Just(i).map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }.sink { total.pointee &+= $0 }
    c.cancel()
  }
  return total.pointee
}
func subject(_ n: Int, subscribers: Int = 1) -> Int {
  let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  let s = PassthroughSubject<Int, Never>()
  var cs: Set<AnyCancellable> = []
  for _ in 0..<subscribers {
    s.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }.sink { total.pointee &+= $0 }.store(in: &cs)
  }
  for i in 0..<n { s.send(i) }
  return total.pointee
}
func current(_ n: Int) -> Int {
  let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  let s = CurrentValueSubject<Int, Never>(0)
  let c = s.sink { total.pointee &+= $0 }
  for i in 0..<n { s.send(i) }
  c.cancel()
  return total.pointee
}
func attach(_ n: Int) -> Int {
  let total = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  let s = PassthroughSubject<Int, Never>()
  for _ in 0..<n {
    s.map { $0 &+ 1 }.filter { $0 & 1 == 0 }.map { $0 &* 3 }.sink { total.pointee &+= $0 }.cancel()
  }
  return total.pointee
}
let n = Int(CommandLine.arguments[2])!
switch CommandLine.arguments[1] {
case "sequence": print(sequence(n))
case "just": print(just(n))
case "subject": print(subject(n))
case "subject10": print(subject(n, subscribers: 10))
case "current": print(current(n))
case "attach": print(attach(n))
default: break
}
