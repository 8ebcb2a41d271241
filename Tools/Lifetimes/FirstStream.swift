// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseReader(_ watch: (AnyObject) -> Void) -> Any {
  let numbers = CurrentValueSubject<Int, Never>(0).dropFirst()
  let reader = Reader()
  watch(reader)
  numbers.subscribe(reader)
  reader.subscription?.cancel()
  return numbers
}
