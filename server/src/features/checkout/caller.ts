/** Who shops: a key of one agent. */
export interface ShopCaller {
  readonly keyId: string
  readonly workspaceId: string
  readonly agentId: string
}
