import { describe, expect, test } from 'vitest'
import { cleansUp, emptyFolder, parley } from '#test/support/processes/parley-process.ts'

cleansUp()

describe('parley conversations export', () => {
  test('writes each message of an agent, oldest first, as CSV or JSON Lines, and is recorded', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    await parley(['call', 'create_app', '{"name":"Desk"}'], environment)
    const input = JSON.stringify({ app_id: 'desk-10001', message: 'Hello, "you"' })
    expect(await parley(['call', 'chat_with_app', input], environment)).toMatchObject({ code: 0 })
    const exporting = ['conversations', 'export', '--app', 'desk-10001']
    const csv = await parley(exporting, environment)
    expect(csv).toMatchObject({ code: 0, stderr: '' })
    const [head, first] = csv.stdout.split('\n')
    expect(head).toMatch(/^session_id,begun_at,.*,role,content,/)
    expect(first).toMatch(/,user,"Hello, ""you""",/)
    const lines = await parley([...exporting, '--format', 'jsonl'], environment)
    const messages = lines.stdout.trim().split('\n')
    expect(messages.map((line) => JSON.parse(line).role)).toEqual(['user', 'assistant'])
    const nobody = await parley([...exporting, '--end-user', 'somebody'], environment)
    expect(nobody).toMatchObject({ code: 0, stdout: `${head}\n` })
    const later = await parley([...exporting, '--from', '2999-01-01'], environment)
    expect(later).toMatchObject({ code: 0, stdout: `${head}\n` })
    const audit = await parley(['audit', 'export', '--action', 'export_conversations'], environment)
    expect(audit.stdout.match(/,desk-10001,done,/g)).toHaveLength(4)
  })

  test('shows nothing to users without a role there, and explains invalid options', async () => {
    const environment = { DATA_DIR: await emptyFolder(), DEMO: 'false' }
    await parley(['call', 'create_app', '{"name":"Desk"}'], environment)
    const ada = ['--email', 'ada@example.com', '--password', 'correct horse']
    await parley(['user', 'create', ...ada], environment)
    const exporting = ['conversations', 'export', '--app', 'desk-10001']
    const refused = await parley([...exporting, '--as', 'ada@example.com'], environment)
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^parley: There is no such record, .*\n$/)
    for (const wrong of [
      ['--format', 'xml'],
      ['--from', 'soon'],
    ]) {
      const { code, stdout, stderr } = await parley([...exporting, ...wrong], environment)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(new RegExp(`^parley: ${wrong[0]} is .*\\n$`))
    }
  })
})
