// Does not import StreamSchedulers, as models that do not know it: the sleep passes through the process's threads before it
// reaches the clock.
@MainActor
func sleepASecond(on clock: any Clock<Duration>) async throws { try await clock.sleep(for: .seconds(1)) }
