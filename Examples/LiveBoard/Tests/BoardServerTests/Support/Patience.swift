/// The seconds after which a test no longer waits for a server or a page, and fails. Longer than any pause of a busy
/// machine.
let patience = 300
