import { chat, made, useModel, words, type Attack, type Group } from './stalling-attack.ts'

/** As many as a request may have. */
const mostItems = 2000

/** Responses with very many items, that are answered, run in the background, compacted and listed. */
const responses: Group = async ({ service }) => {
  await useModel(service)
  const model = service.agent.app_name_id
  const items = Array.from({ length: mostItems }, (_, n) => ({
    type: 'message',
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: [{ type: n % 2 === 0 ? 'input_text' : 'output_text', text: words(100, `${n}x`) }],
  }))
  const input = [...items.slice(0, -1), { role: 'user', content: 'Which words were there?' }]
  const respond = (more: object, path = '/responses'): Attack => {
    const body = JSON.stringify({ model, input, ...more })
    return { status: 200, send: () => service.api('POST', path, body) }
  }
  const { id } = await made(respond({}).send())
  return [
    respond({}),
    respond({ background: true }),
    respond({}, '/responses/compact'),
    {
      status: 200,
      send: () => service.api('GET', `/responses/${String(id)}/input_items?limit=100`),
    },
  ]
}

/** Files that arrive, are read within a turn, and are named by a turn. */
const files: Group = async ({ service }) => {
  await useModel(service)
  const upload = (text: string, name: string) => async () => {
    const form = new FormData()
    form.append('purpose', 'user_data')
    form.append('file', new Blob([text]), name)
    return await service.api('POST', '/files', form)
  }
  const long = `a,b,c\n${'first,second,third\n'.repeat(20_000)}`
  const { id: file_id } = await made(upload(long, 'long.csv')())
  const file_data = `data:text/markdown;base64,${Buffer.from(words(120_000)).toString('base64')}`
  const asking = (file: object) =>
    chat(service, [
      { type: 'file', file },
      { type: 'text', text: 'Which words are in it?' },
    ])
  return [
    { status: 200, send: upload('plain words in a row\n'.repeat(700_000), 'large.txt') },
    asking({ filename: 'note.md', file_data }),
    asking({ file_id }),
    { status: 200, send: () => service.api('GET', `/files/${String(file_id)}/content`) },
  ]
}

export const groupsOfTurns: Readonly<Record<string, Group>> = {
  'responses with 2,000 items, in the background, compacted and listed': responses,
  'files that are uploaded and read within turns': files,
}
