import ArgumentParser

/// Readings of sensors, which two servers measure and a client stores.
@main struct Readings: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    subcommands: [DemoCommand.self, ServerCommand.self, ClientCommand.self], defaultSubcommand: DemoCommand.self)
}
