// How the types of the article are released: `Tools/run examples` appends each function to the example that declares the type.

func releaseStallAlarm(_ watch: (AnyObject) -> Void) -> Any {
  let alarm = StallAlarm { _ in }
  watch(alarm)
  alarm.jobDidReport("copying")
  return DispatchQueue.global()
}
