import { defineConfig } from 'vitest/config'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24)
  throw new Error(
    `These tests need Node 24 or newer, not ${process.versions.node}: run them by \`npm test\`, which brings its own.`,
  )

/** `npm test` runs rules and wire; the slower tiers are vitest's `--mode` (package.json). */
const tiers = ['client', 'browser', 'faults'] as const

const everyTier = tiers.map((name) => `**/*.${name}.test.ts`)

export default defineConfig(({ mode }) => {
  const tier = tiers.find((name) => name === mode)
  // Vitest's own mode is `test`.
  if (tier === undefined && mode !== 'test')
    throw new Error(`There is no tier ${mode}: there are ${tiers.join(', ')}`)
  return {
    test: {
      root: 'server',
      include:
        tier === undefined
          ? ['{src,test}/**/*.test.ts', '../dashboard/src/**/*.test.ts']
          : [`{src,test}/**/*.${tier}.test.ts`],
      exclude: tier === undefined ? everyTier : [],
      globalSetup: ['test/support/global-setup.ts'],
      // Threads share the compiled modules' cost less, but processes isolate native handles.
      pool: 'forks',
      // Modules hold no state that a test could see, so the first tier loads them once for each worker:
      // a fifth of its time. Programs that others wrote promise no such thing.
      isolate: tier !== undefined,
      // Tests of the first tier also wait: for robots' manners, leases, processes that start.
      maxWorkers: tier === undefined ? 3 : 2,
      // What others wrote, a browser or a client, is asked twice before it fails; what must survive a
      // kill has to survive it the first time.
      retry: tier === 'browser' || tier === 'client' ? 1 : 0,
      // A kill is waited out by conditions: these limits end only what hangs.
      testTimeout: { faults: 600_000, client: 120_000, browser: 120_000, none: 15_000 }[
        tier ?? 'none'
      ],
      hookTimeout: tier === 'faults' ? 300_000 : 60_000,
    },
  }
})
