// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseSensor(_ watch: (AnyObject) -> Void) -> Any {
  let sensor = Sensor()
  watch(sensor)
  let reading = readings(of: sensor).sink { _ in }
  reading.cancel()
  return reading
}

func releaseSensorReader(_ watch: (AnyObject) -> Void) -> Any {
  let sensor = Sensor()
  let readings = readings(of: sensor)
  let reading = readings.sink { _ in }
  watch(sensor.delegate!)
  sensor.delegate?.sensorDidMeasure(21)
  reading.cancel()
  return (sensor, readings)
}

@MainActor func releaseSocket(_ watch: (AnyObject) -> Void) async throws -> Any {
  let scheduler = DispatchQueue.test
  let messages = PassthroughSubject<String, Never>()
  var socket: Socket? = Socket()
  watch(socket!)
  try scheduler.runVirtualWorld { [socket = socket!] in
    let sending = [sendInTasks(messages, to: socket), sendInOrder(messages, to: socket)]
    messages.send("login")
    await scheduler.run()
    sending.forEach { $0.cancel() }
  }
  socket = nil
  return (scheduler, messages)
}
