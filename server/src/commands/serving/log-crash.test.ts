import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mintAcpKey, mintToken } from '#kernel/tokens.ts'
import { instanceSecrets, secretEnvironment } from '#test/security/planted-secrets.ts'
import { tried } from '#test/support/tried.ts'

const program = join(import.meta.dirname, '../../../test/support/processes/crashing-process.ts')

function crash(args: readonly string[]): Promise<{ code: unknown; output: string }> {
  const env = { PATH: process.env.PATH, ...secretEnvironment }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code, output: stdout + stderr }),
    )
  })
}

/** The beginning of what is signed: JSON in base64url. */
const signed = Buffer.from('{"kind":"visit","agent":"a"}').toString('base64url')

describe('a crash', () => {
  test.for(['thrown', 'rejected'])(
    'prints no secret of the configuration and no credential, if the error is %s',
    async (how, context) => {
      const secrets = [
        ...Object.values(instanceSecrets),
        secretEnvironment.SMTP_URL,
        ...['svc_ck_', 'svc_sk_', 'svc_at_', 'svc_rt_'].map((kind) => mintToken(kind).token),
        mintAcpKey().token,
        // A webhook's, an agent's and a visitor's, in the form in which they are issued.
        ...['whsec_', 'pis_', 'pms_'].map((kind) => mintToken(kind).token),
        `${signed}.${mintToken('').token}`,
        `${signed}.${signed}.${mintToken('').token}`,
      ]
      // Cookies have no form of their own, but a name.
      const cookies = ['__Host-parley_session', '__Secure-parley_device', 'parley_visitor'].map(
        (name) => [name, mintToken('').token] as const,
      )
      const sent = cookies.map(([name, value]) => `${name}=${value}`).join('; ')
      const { code, output } = await crash([`${secrets.join(' ')} ${sent}`, how])
      for (const [, value] of cookies) expect(output).not.toContain(value)
      expect(code).toBe(1)
      expect(output).toContain('crashed')
      for (const secret of secrets) expect(output).not.toContain(secret)
      tried(context, secrets.length + cookies.length)
    },
  )
})
