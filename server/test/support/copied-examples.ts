import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'

/** Runs a curl command in a shell and parses its response. */
export async function runCurl(curl: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `${curl} --silent`])
  return JSON.parse(stdout)
}

const scripts = join(import.meta.dirname, '../../../artifacts/scripts')

/** Runs a program that a person saved beside the packages it uses. @returns its output */
export async function runScript(code: string): Promise<string> {
  mkdirSync(scripts, { recursive: true })
  const file = join(scripts, `${process.pid}.mjs`)
  writeFileSync(file, code)
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file])
    return stdout.trim()
  } finally {
    rmSync(file)
  }
}

/** Drops a file on the page, as from the desktop. */
export async function dropFile(page: Page, name: string, bytes: Buffer): Promise<void> {
  const given = JSON.stringify({ name, base64: bytes.toString('base64') })
  const dataTransfer = await page.evaluateHandle(`((given) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([Uint8Array.fromBase64(given.base64)], given.name))
    return transfer
  })(${given})`)
  await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer })
}

/**
 * Buys a product as a shopping agent does, from the cart to the payment. `at` is the
 * agent's checkout base URL.
 */
export async function buyProduct(at: string, key: string, productId: string): Promise<unknown> {
  const post = async (url: string, body: unknown) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { id: string; status: string } // The test checks the fields.
  }
  const buyer = { name: 'Bea Buyer', email: 'bea@example.com' }
  const lines = [{ product_id: productId, quantity: 1 }]
  const sessions = `${at}/checkout_sessions`
  const session = await post(sessions, { line_items: lines, buyer })
  return await post(`${sessions}/${session.id}/complete`, {
    buyer,
    payment_data: { token: 'spt_test', provider: 'test' },
  })
}
