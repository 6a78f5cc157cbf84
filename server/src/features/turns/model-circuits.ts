import type { Context } from '#platform/context.ts'

type Limits = Pick<
  Context['config'],
  'modelCircuitFailures' | 'modelCircuitOpenMs' | 'modelCircuits'
>

interface Circuit {
  /** In a row. */
  failures: number
  /** When the circuit may be probed by one call, in epoch milliseconds. */
  openUntil: number
  /** Whether a call probes. */
  isProbed: boolean
}

/**
 * Which models fail in this process. A circuit opens after some failures in a row: its model is not
 * called for a time, so that a provider that is down does not cost each turn a timeout. Then one
 * call probes: its success closes the circuit. Only models whose latest call failed have a circuit.
 */
export class ModelCircuits {
  readonly #limits: Limits
  readonly #circuits = new Map<string, Circuit>()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /**
   * Whether a model may be called. If its circuit has been open for long enough, the caller is the probe, and
   * the circuit is open for others until the probe ends or as much time has passed again.
   */
  admits(key: string, now: number): boolean {
    const circuit = this.#circuits.get(key)
    if (circuit === undefined || circuit.failures < this.#limits.modelCircuitFailures) return true
    if (now < circuit.openUntil) return false
    circuit.openUntil = now + this.#limits.modelCircuitOpenMs
    circuit.isProbed = true
    return true
  }

  noteSuccess(key: string): void {
    this.#circuits.delete(key)
  }

  /** Notes a call that ended without a result of the model: if it was the probe, the next call is. */
  noteNothing(key: string, now: number): void {
    const circuit = this.#circuits.get(key)
    if (circuit?.isProbed !== true) return
    circuit.isProbed = false
    circuit.openUntil = now
  }

  noteFailure(key: string, now: number): void {
    const failures = (this.#circuits.get(key)?.failures ?? 0) + 1
    this.#circuits.delete(key)
    const [oldest] = this.#circuits.size < this.#limits.modelCircuits ? [] : this.#circuits.keys()
    if (oldest !== undefined) this.#circuits.delete(oldest)
    const openUntil = now + this.#limits.modelCircuitOpenMs
    this.#circuits.set(key, { failures, openUntil, isProbed: false })
  }
}

const ofConfig = new WeakMap<Limits, ModelCircuits>()

/** The circuits of this process. */
export function modelCircuits({ config }: Pick<Context, 'config'>): ModelCircuits {
  const known = ofConfig.get(config)
  if (known !== undefined) return known
  const circuits = new ModelCircuits(config)
  ofConfig.set(config, circuits)
  return circuits
}
