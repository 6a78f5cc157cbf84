/**
 * The postings of one term in a segment: for each chunk that contains it, the distance of its number
 * from the one before, shifted left by one, as a base-128 varint (least significant group first). The
 * lowest bit says that the term occurs several times; then its frequency follows as another varint.
 * Most postings take one or two bytes.
 */
export class PostingWriter {
  count = 0
  private bytes = new Uint8Array(8)
  private length = 0
  private last = -1

  /** Numbers must rise. */
  add(number: number, frequency: number): void {
    this.writeVarint((number - this.last) * 2 + (frequency > 1 ? 1 : 0))
    if (frequency > 1) this.writeVarint(frequency)
    this.last = number
    this.count += 1
  }

  end(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }

  private writeVarint(value: number): void {
    if (this.length + 5 > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2 + 5)
      larger.set(this.bytes)
      this.bytes = larger
    }
    let rest = value
    for (; rest > 127; rest >>>= 7) this.bytes[this.length++] = (rest & 127) | 128
    this.bytes[this.length++] = rest
  }
}
