import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { describeChat } from '#test/support/chat/chat-service.ts'
import { runScript } from '#test/support/copied-examples.ts'
import { snippetsOf, type Language } from '../../../dashboard/src/features/share/snippets.ts'

const run = promisify(execFile)
const question = `Ada's "tea" costs $HOME \\ \`more\`? #{x} %s\nÜber 茶 😀`
const answer = ['Hel', 'lo ', 'wörld']

/** Snippets in languages that the machine lacks are skipped. */
const has = (program: string, flag = '--version') => spawnSync(program, [flag]).status === 0

/**
 * Replaces the `openai` package where it is not installed, with the calls of the snippet built on
 * Python's standard library.
 */
const openaiForPython = `
import json, urllib.request
from types import SimpleNamespace as Names

class OpenAI:
    def __init__(self, *, base_url, api_key):
        self.base_url, self.api_key = base_url, api_key
        self.chat = Names(completions=Names(create=self._create))

    def _create(self, *, model, messages, stream):
        body = json.dumps({"model": model, "messages": messages, "stream": stream}).encode()
        headers = {"Authorization": f"Bearer {self.api_key}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.base_url}/chat/completions", body, headers)
        for line in urllib.request.urlopen(request):
            if line.startswith(b"data: {"):
                yield json.loads(line[6:], object_hook=lambda one: Names(**{"content": None, **one}))
`

describeChat('the code on the Share tab', (open) => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-snippets-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  async function setUp(language: Language) {
    const service = await open({ model: { reply: answer } })
    const baseUrl = await service.listen()
    const values = { baseUrl, model: service.agent.app_name_id, apiKey: service.key, question }
    const { code = '' } = snippetsOf(values).find(({ id }) => id === language) ?? {}
    const asked = () => service.model.requests.at(-1)?.body.messages
    return { code, asked }
  }

  const withQuestion = expect.arrayContaining([expect.objectContaining({ content: question })])

  test('runs in JavaScript with the official library', async () => {
    const { code, asked } = await setUp('javascript')
    expect(await runScript(code)).toBe(answer.join(''))
    expect(asked()).toEqual(withQuestion)
  })

  test.skipIf(!has('curl'))('runs in a shell', async () => {
    const { code, asked } = await setUp('curl')
    const { stdout } = await run('sh', ['-c', `${code} --silent`])
    expect(JSON.parse(stdout)).toMatchObject({ choices: [{ message: { content: 'Hello wörld' } }] })
    expect(asked()).toEqual(withQuestion)
  })

  test.skipIf(!has('python3'))('runs in Python', async () => {
    const { code, asked } = await setUp('python')
    writeFileSync(join(folder, 'openai.py'), openaiForPython)
    writeFileSync(join(folder, 'snippet.py'), code)
    const env = { ...process.env, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' }
    const { stdout } = await run('python3', [join(folder, 'snippet.py')], { env })
    expect(stdout).toBe(answer.join(''))
    expect(asked()).toEqual(withQuestion)
  })

  test.skipIf(!has('gofmt', '-h'))('is well-formed Go', async () => {
    const { code } = await setUp('go')
    const file = join(folder, 'snippet.go')
    writeFileSync(file, `${code}\n`)
    const { stdout } = await run('gofmt', ['-e', '-l', file])
    expect(stdout).toBe('')
  })
})
