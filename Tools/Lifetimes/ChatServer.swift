// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseServer(_ watch: (AnyObject) -> Void) throws -> Any {
  let queue = DispatchQueue(label: "released server")
  let room = Room(scheduler: queue.eraseToAnyScheduler())
  let server = try Server(room: room, queue: queue)
  watch(server)
  server.stop()
  queue.sync {}
  return room
}

func releaseLineWriter(_ watch: (AnyObject) -> Void) -> Any {
  let queue = DispatchQueue(label: "released writer")
  let lines = PassthroughSubject<String, Disconnection>()
  let writer = LineWriter(.nullDevice, queue: queue)
  watch(writer)
  lines.subscribe(writer)
  lines.send("hello")
  writer.cancel()
  queue.sync {}
  return lines
}
