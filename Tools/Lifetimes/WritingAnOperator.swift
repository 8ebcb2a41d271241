// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseButton(_ watch: (AnyObject) -> Void) -> Any {
  let button = Button()
  watch(button)
  let cancellable = button.presses.sink { _ in }
  button.onPress?(1)
  cancellable.cancel()
  return cancellable
}

func releaseAverageSubscriber(_ watch: (AnyObject) -> Void) -> Any {
  let numbers = PassthroughSubject<Double, Never>()
  let downstream = Subscribers.Sink<Double, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
  let subscriber = AverageSubscriber(size: 2, downstream: downstream)
  watch(subscriber)
  numbers.subscribe(subscriber)
  numbers.send(1)
  downstream.cancel()
  return numbers
}

func releaseAverageSubscription(_ watch: (AnyObject) -> Void) -> Any {
  let numbers = PassthroughSubject<Double, Never>()
  var subscription: (any Subscription)?
  let cancellable = numbers.windowedAverage(size: 2)
    .handleEvents(receiveSubscription: { subscription = $0 })
    .sink { _ in }
  watch(subscription! as AnyObject)
  numbers.send(1)
  cancellable.cancel()
  subscription = nil
  return numbers
}

func releaseLeaver(_ watch: (AnyObject) -> Void) -> Any {
  let numbers = PassthroughSubject<Double, Never>()
  let leaver = Leaver()
  watch(leaver)
  numbers.windowedAverage(size: 1).subscribe(leaver)
  numbers.send(1)
  return numbers
}
