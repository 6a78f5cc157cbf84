/**
 * How large the history up to each message is, without its largest one. The request that brought a message
 * has bounded it, and a session must not forget a large file before the next question about it.
 *
 * @param sizes of the messages, newest first
 */
export function sizesBesideLargest(sizes: readonly number[]): number[] {
  let sum = 0
  let largest = 0
  return sizes.map((size) => {
    sum += size
    largest = Math.max(largest, size)
    return sum - largest
  })
}
