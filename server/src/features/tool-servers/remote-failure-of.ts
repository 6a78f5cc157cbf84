import type { RemoteToolFailure } from '#platform/remote-tools/remote-tools.ts'

/** The failure of a remote server that an error is; null for any other error. */
export function remoteFailureOf(error: unknown): RemoteToolFailure | null {
  // Features import only the types of platform, so the class is told by its name.
  const isOne = error instanceof Error && error.name === 'RemoteToolFailure'
  return isOne ? (error as RemoteToolFailure) : null
}
