interface Options<Value> {
  readonly maxBytes: number
  readonly bytesOf: (value: Value) => number
}

/** Values that never change, up to `maxBytes` in total; the least recently used are dropped first. */
export class SizedCache<Key, Value> {
  private readonly known = new Map<Key, Value>()
  private readonly options: Options<Value>
  private bytes = 0

  constructor(options: Options<Value>) {
    this.options = options
  }

  has(key: Key): boolean {
    return this.known.has(key)
  }

  get(key: Key): Value | undefined {
    const value = this.known.get(key)
    if (value === undefined) return undefined
    this.known.delete(key)
    this.known.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    const { maxBytes, bytesOf } = this.options
    if (this.known.has(key) || bytesOf(value) > maxBytes) return
    this.known.set(key, value)
    this.bytes += bytesOf(value)
    for (const [oldest, its] of this.known) {
      if (this.bytes <= maxBytes) break
      this.known.delete(oldest)
      this.bytes -= bytesOf(its)
    }
  }
}
