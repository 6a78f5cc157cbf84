import type { ConfirmationWays } from './generated-operations.ts'
import { sendJson } from './send.ts'

export type { ConfirmationWays }

/** How the signed-in user can confirm that it is them. @throws OperationError */
export async function beginConfirmation(): Promise<ConfirmationWays> {
  const response = await sendJson('/confirmation/begin', {})
  return (await response.json()) as ConfirmationWays // generated from the service's own schema
}

export type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly passkey: string }

/** @throws OperationError */
export async function confirmIdentity(proof: Proof): Promise<void> {
  await sendJson('/confirmation', proof)
}

/** Asks the browser for a passkey. @throws DOMException when the user or the browser refuses */
export async function answerOfPasskey(
  options: NonNullable<ConfirmationWays['passkey']>,
): Promise<string> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    // The contract does not list these fields: the service passes on what its WebAuthn library
    // generated for this method, and the browser rejects anything else.
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  )
  const credential = await navigator.credentials.get({ publicKey })
  return JSON.stringify(credential)
}

/** A question that waits for its dialog. */
interface Asking {
  /** Called once: true when the user confirmed. */
  answer(isConfirmed: boolean): void
}

let asking: Asking | null = null
let waiting: Promise<boolean> | null = null
const listeners = new Set<() => void>()

/** For `useSyncExternalStore`: the open question, or null. */
export const confirmationQuestion = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  current: () => asking,
}

/**
 * Opens the confirmation dialog; several operations share one.
 *
 * @returns whether the user confirmed
 */
export function askToConfirm(): Promise<boolean> {
  waiting ??= new Promise<boolean>((resolve) => {
    show({
      answer(isConfirmed) {
        waiting = null
        show(null)
        resolve(isConfirmed)
      },
    })
  })
  return waiting
}

function show(next: Asking | null): void {
  asking = next
  for (const listener of listeners) listener()
}
