/// The seconds after which a test no longer waits for a program or a page, and fails. Longer than any pause of a busy
/// machine.
package let patience = 300
