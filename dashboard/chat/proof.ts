/** How many hashes are computed between two pauses, so that the page stays responsive. */
const atOnce = 5000

/** A proof of work: the challenge and a number whose SHA-256 begins with `bits` zero bits. */
export async function prove(challenge: string, bits: number): Promise<string> {
  for (let nonce = 0; ; nonce += 1) {
    const proof = `${challenge} ${nonce}`
    if (firstWord(proof) >>> (32 - bits) === 0) return proof
    if (nonce % atOnce === 0) await new Promise((resolve) => setTimeout(resolve))
  }
}

/** The fractional parts of the roots of the first primes (FIPS 180-4 §4.2.2 and §5.3.3). */
const [constants, initial] = tables()

function tables(): readonly [Uint32Array, Uint32Array] {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n += 1)
    if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  const part = (root: number) => ((root % 1) * 2 ** 32) | 0
  return [
    Uint32Array.from(primes, (prime) => part(Math.cbrt(prime))),
    Uint32Array.from(primes.slice(0, 8), (prime) => part(Math.sqrt(prime))),
  ]
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by))

/**
 * The first 32 bits of the SHA-256 of an ASCII text (FIPS 180-4 §6.2). `crypto.subtle` exists only in
 * secure contexts, and a call of it for each hash is slower.
 */
export function firstWord(text: string): number {
  const length = Math.ceil((text.length + 9) / 64) * 16
  const words = new Uint32Array(length)
  const put = (at: number, byte: number) => {
    words[at >> 2] = (words[at >> 2] ?? 0) | (byte << (24 - (at % 4) * 8))
  }
  for (let at = 0; at < text.length; at += 1) put(at, text.charCodeAt(at))
  put(text.length, 0x80)
  words[length - 1] = text.length * 8
  const state = initial.slice()
  for (let block = 0; block < length; block += 16)
    addBlock(state, words.subarray(block, block + 16))
  return state[0] ?? 0
}

const schedule = new Uint32Array(64)

function addBlock(state: Uint32Array, block: Uint32Array): void {
  schedule.set(block)
  for (let t = 16; t < 64; t += 1) {
    const [w2, w7, w15, w16] = [at(t - 2), at(t - 7), at(t - 15), at(t - 16)]
    const small = turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3)
    schedule[t] = (turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10)) + w7 + small + w16
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t += 1) {
    const choice = (e & f) ^ (~e & g)
    const one =
      (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + (constants[t] ?? 0) + at(t)) | 0
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] ?? 0) + word
}

function at(t: number): number {
  return schedule[t] ?? 0
}
