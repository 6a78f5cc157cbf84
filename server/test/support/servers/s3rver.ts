import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '#test/support/free-port.ts'
import { installPrograms } from '#test/support/processes/install-packages.ts'
import { temporaryFolder } from '#test/support/temporary-folder.ts'
import { until } from '#test/support/until.ts'

/** s3rver: a store that others have written. It checks the keys' ids, not the signatures of requests. */
export interface S3rver {
  readonly bucket: string
  readonly environment: Readonly<Record<string, string>>
  stop(): Promise<void>
}

export async function startS3rver(): Promise<S3rver> {
  const script = join(await installPrograms(), 's3rver/bin/s3rver.js')
  const port = await freePort()
  const bucket = 'parley-objects'
  const folder = await temporaryFolder('parley-s3rver-', 'memory')
  const args = ['--directory', folder, '--address', '127.0.0.1', '--port', String(port)]
  const child = spawn(
    process.execPath,
    // It encrypts the token of a next page with DES, which OpenSSL offers only with this option.
    ['--openssl-legacy-provider', script, ...args, '--silent', '--configure-bucket', bucket],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const endpoint = `http://127.0.0.1:${port}`
  await until('s3rver answers', () => {
    if (child.exitCode !== null) throw new Error(`s3rver ended with ${child.exitCode}`)
    return fetch(endpoint).then(
      ({ ok }) => ok,
      () => false,
    )
  })
  return {
    bucket,
    environment: {
      S3_ENDPOINT: endpoint,
      S3_REGION: 'eu-test-1',
      S3_ACCESS_KEY_ID: 'S3RVER',
      S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}
