import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A home folder of its own, and no browser: for programs that send a person to a link. */
export interface BrowserlessHome {
  readonly home: string
  readonly environment: Readonly<Record<string, string>>
  /** Told what such a program prints, piece by piece. */
  readonly read: (piece: unknown) => void
  /** The first link to the authorization server that it prints. */
  readonly link: Promise<URL>
  /**
   * Opens the address that the person is sent back to. Programs print their link before they listen
   * for it, and a person is never as fast as a test.
   */
  openCallback(address: URL): Promise<Response>
  remove(): Promise<void>
}

const authorizationLink = /https?:\/\/\S+\/mcp\/oauth\/authorize\?\S+(?=\s)/

export async function createBrowserlessHome(): Promise<BrowserlessHome> {
  const home = await mkdtemp(join(tmpdir(), 'parley-desktop-'))
  const { promise: link, resolve } = Promise.withResolvers<URL>()
  let printed = ''
  return {
    home,
    // `true` is a browser that opens nothing; without a display no other is looked for.
    environment: { HOME: home, BROWSER: 'true', DISPLAY: '', WAYLAND_DISPLAY: '' },
    read(piece) {
      printed += String(piece)
      const [found] = authorizationLink.exec(printed) ?? []
      if (found !== undefined) resolve(new URL(found))
    },
    link,
    openCallback,
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

async function openCallback(address: URL): Promise<Response> {
  for (const deadline = Date.now() + 10_000; ; await sleep(50))
    try {
      return await fetch(address)
    } catch (error) {
      if (!isRefusedConnection(error) || Date.now() > deadline) throw error
    }
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
}
