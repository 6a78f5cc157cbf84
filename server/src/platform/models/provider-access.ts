/** How to reach a provider. */
export interface ProviderAccess {
  readonly provider: string
  readonly apiKey: string | null
  /** Null for a provider inside Parley: its models cost no network and call no tools. */
  readonly baseUrl: string | null
  /** Whether the address comes from the environment or the provider; false when a person typed it. */
  readonly trusted: boolean
}
