import { defineConfig } from 'vitest/config'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 26)
  throw new Error(
    `These tests need Node 26 or newer, not ${process.versions.node}. Run \`npm test\`, which installs its own.`,
  )

/** `npm test` runs every test that is in no tier; the tiers are vitest's `--mode` (package.json). */
const tiers = ['client', 'browser', 'deploy', 'load', 'faults'] as const

const everyTier = tiers.map((name) => `**/*.${name}.test.ts`)

export default defineConfig(({ mode }) => {
  const tier = tiers.find((name) => name === mode)
  // Vitest's own mode is `test`.
  if (tier === undefined && mode !== 'test')
    throw new Error(`Unknown tier ${mode}: use ${tiers.join(', ')}`)
  return {
    test: {
      root: 'server',
      include:
        tier === undefined
          ? [
              '{src,test}/**/*.test.ts',
              '../dashboard/{src,chat}/**/*.test.ts',
              '../bench/suite/*.test.ts',
            ]
          : [`{src,test}/**/*.${tier}.test.ts`],
      exclude: tier === undefined ? everyTier : [],
      globalSetup: ['test/support/global-setup.ts'],
      setupFiles: ['test/support/never-repeated.ts'],
      // Processes isolate native handles, which threads would share.
      pool: 'forks',
      // Our modules hold no state that a test could see, so `npm test` loads them once per worker,
      // which saves a fifth of its time. The tiers also load other people's clients, which may.
      isolate: tier !== undefined,
      // A kill must be able to interrupt the flush of a real disk.
      env: tier === 'faults' || tier === 'deploy' ? { TEST_STORAGE: 'disk' } : {},
      // Many tests wait: for a crawler's pauses, leases, processes that start. Those under load measure
      // how long others wait, so they run alone.
      maxWorkers: tier === undefined ? 3 : tier === 'load' ? 1 : 2,
      // A browser or another client may fail once for reasons of its own. A test of a kill may not.
      retry: tier === 'browser' || tier === 'client' ? 1 : 0,
      // Tests of faults wait for conditions, so their limit only ends a test that hangs.
      testTimeout: {
        faults: 600_000,
        client: 120_000,
        browser: 120_000,
        deploy: 120_000,
        load: 120_000,
        none: 60_000,
      }[tier ?? 'none'],
      hookTimeout: tier === 'faults' || tier === 'deploy' ? 600_000 : 60_000,
      // A second, the default, is too short for a page on a busy machine.
      expect: { poll: { timeout: 15_000 } },
    },
  }
})
