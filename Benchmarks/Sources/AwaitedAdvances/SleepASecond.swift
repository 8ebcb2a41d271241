// Without StreamSchedulers, as models are written that know nothing of it: the sleep goes through the threads of the process
// before the clock hears of it.
@MainActor
func sleepASecond(on clock: any Clock<Duration>) async throws { try await clock.sleep(for: .seconds(1)) }
