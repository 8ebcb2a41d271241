// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

@MainActor func releaseLedger(_ watch: (AnyObject) -> Void) async -> Any {
  let payments = PassthroughSubject<Int, Never>()
  let ledger = Ledger()
  watch(ledger)
  await ledger.follow(payments)
  payments.send(1)
  _ = await ledger.balance
  return payments
}

@MainActor func releaseThermostat(_ watch: (AnyObject) -> Void) async -> Any {
  let targets = PassthroughSubject<Int, Never>()
  let thermostat = Thermostat()
  watch(thermostat)
  let cancellable = targets.sink(with: thermostat) { $0.adjust(to: $1) }
  targets.send(21)
  _ = await thermostat.target
  return (targets, cancellable)
}

@MainActor func releaseHeadlines(_ watch: (AnyObject) -> Void) async -> Any {
  let headlines = Headlines()
  watch(headlines)
  let pages = PassthroughSubject<Int, Never>()
  headlines.titles(pages).sink { _ in }.cancel()
  return pages
}
