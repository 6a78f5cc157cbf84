import { describe, expect, test } from 'vitest'
import { actionDefinition, checkDefinition } from '#features/actions/index.ts'
import { importCurl } from './import-curl.ts'
import { shellWords } from './shell-words.ts'

/** The action of a command; every imported action passes the check of its definition. */
function imported(line: string) {
  const action = importCurl(line)
  checkDefinition(actionDefinition.parse(action))
  return action
}

/** Its parameters as `place key = value`, or `place key ?` for arguments of the model. */
function parameters(line: string): string[] {
  return (imported(line).parameters ?? []).map(({ in: place, key, source, value }) =>
    source === 'ai' ? `${place} ${key} ?` : `${place} ${key} = ${JSON.stringify(value)}`,
  )
}

describe('A command is split into words as a shell splits it', () => {
  test.each([
    [`a  b\tc`, ['a', 'b', 'c']],
    [`'a b' "c d"`, ['a b', 'c d']],
    [`a'b'"c"d`, ['abcd']],
    [`"a\\"b\\\\c\\n"`, ['a"b\\c\\n']],
    [`'a"b\\'`, ['a"b\\']],
    [`$'a\\'b\\n\\x41\\u00e9\\101'`, ["a'b\nAéA"]],
    ['a \\\n  b \\\r\n c', ['a', 'b', 'c']],
    [`a\\ b`, ['a b']],
    [`''`, ['']],
    [`"line\\\nbreak"`, ['linebreak']],
    ['$HOME ${API_KEY} "a $B"', ['{{var.HOME}}', '{{var.API_KEY}}', 'a {{var.B}}']],
    [`'$HOME' "\\$HOME" \\$HOME $home $1`, ['$HOME', '$HOME', '$HOME', '$home', '$1']],
    ['a | jq .b', ['a']],
    ['a > b', ['a']],
    ['a 2>/dev/null && b', ['a']],
    [`a '|' b|c <b>`, ['a', '|', 'b|c', '<b>']],
  ])('%j', (line, words) => {
    expect(shellWords(line, 100)).toEqual(words)
  })

  test.each([`'a`, `"a`, `a "b\\"`])('%s has an unclosed quote', (line) => {
    expect(shellWords(line, 100)).toBeNull()
  })
})

describe('A curl command becomes an action', () => {
  test('with its method and a name from its path', () => {
    expect(imported('curl https://api.example.com/v1/pets')).toMatchObject({
      name: 'get_v1_pets',
      method: 'GET',
      url: 'https://api.example.com/v1/pets',
    })
    expect(imported('curl -X DELETE https://a.example/pets/5')).toMatchObject({ method: 'DELETE' })
    expect(imported('curl -sSLXPATCH a.example')).toMatchObject({
      method: 'PATCH',
      url: 'http://a.example',
      name: 'patch_a_example',
    })
    expect(imported('curl --request=put --url https://a.example')).toMatchObject({ method: 'PUT' })
  })

  test('with its headers', () => {
    const line = `curl https://a.example -H 'Accept: text/csv' -H "X-Note: it's \\"x\\"" -H 'Empty;' -A agent/1 -e https://b.example -b 'id=1; c=2'`
    expect(imported(line)).toMatchObject({
      headers: {
        accept: 'text/csv',
        'x-note': 'it\'s "x"',
        'user-agent': 'agent/1',
        referer: 'https://b.example',
        cookie: 'id=1; c=2',
      },
    })
  })

  test.each([
    ['curl -u ada:secret https://a.example'],
    ['curl --user ada:secret https://a.example'],
    ['curl https://ada:secret@a.example'],
  ])('with the login of %s as a header', (line) => {
    expect(imported(line)).toMatchObject({
      url: 'https://a.example',
      headers: { authorization: `Basic ${Buffer.from('ada:secret').toString('base64')}` },
    })
  })

  test('with the fields of a JSON object, in each of the ways to send one', () => {
    const fields = ['body name = "Rex"', 'body age = 3', 'body tags = ["a"]', 'body ok = true']
    const body = `{"name":"Rex","age":3,"tags":["a"],"ok":true}`
    for (const line of [
      `curl https://a.example -H 'Content-Type: application/json' -d '${body}'`,
      `curl https://a.example --data-raw '${body}' -H 'content-type: application/json; charset=utf-8'`,
      `curl https://a.example --json '${body}'`,
      `curl https://a.example -d'${body}'`,
    ]) {
      expect(parameters(line)).toEqual(fields)
      expect(imported(line)).toMatchObject({
        method: 'POST',
        body_type: 'json',
        body_template: null,
      })
      expect(imported(line).headers).not.toHaveProperty('content-type')
    }
  })

  test('with a JSON body without fields', () => {
    expect(imported(`curl https://a.example --json '{}'`)).toMatchObject({ body_template: '{}' })
  })

  test('with a form', () => {
    const line = `curl https://a.example -d 'a=1&b=x%20y' --data-urlencode 'note=50% & more' -d b=z`
    expect(parameters(line)).toEqual([
      'body a = "1"',
      'body b = ["x y","z"]',
      'body note = "50% & more"',
    ])
    expect(imported(line)).toMatchObject({ body_type: 'form', method: 'POST' })
  })

  test('with a text body', () => {
    const line = `curl https://a.example -H 'Content-Type: text/plain' --data-binary 'a=1'`
    expect(imported(line)).toMatchObject({ body_type: 'text', body_template: 'a=1' })
  })

  test('with its query, also when -G sends data as one', () => {
    expect(parameters('curl "https://a.example/s?q=a%20b&page=2&tag=x&tag=y#end"')).toEqual([
      'query q = "a b"',
      'query page = "2"',
      'query tag = ["x","y"]',
    ])
    const line = 'curl -G https://a.example/s -d q=a --data-urlencode "r=b c"'
    expect(parameters(line)).toEqual(['query q = "a"', 'query r = "b c"'])
    expect(imported(line)).toMatchObject({ method: 'GET', body_template: null })
  })

  test('with {{name}} as an argument of the model', () => {
    const line = `curl -X PUT 'https://a.example/{{var.REGION}}/pets/{{pet_id}}?q={{query}}' -H 'X-City: {{city}}' -H 'Authorization: Bearer {{var.TOKEN}}' --json '{"name":"{{name}}","kind":"dog"}'`
    expect(imported(line).url).toBe('https://a.example/{{var.REGION}}/pets/{pet_id}')
    expect(parameters(line)).toEqual([
      'path pet_id ?',
      'query q ?',
      'header x-city ?',
      'body name ?',
      'body kind = "dog"',
    ])
    expect(imported(line).headers).toMatchObject({ authorization: 'Bearer {{var.TOKEN}}' })
  })

  test('with a body template when {{name}} is nested or part of a text', () => {
    const line = `curl https://a.example --json '{"pet":{"name":"{{name}}"},"note":"for {{who}}","none":null}'`
    expect(imported(line)).toMatchObject({
      body_template: '{"pet":{"name":"{{name}}"},"note":"for {{who}}","none":null}',
    })
    expect(parameters(line)).toEqual(['body name ?', 'body who ?'])
  })

  test('with shell variables as variables of the agent', () => {
    const line = `$ curl "$BASE_URL/v1/me?team=\${TEAM}" -H "Authorization: Bearer $API_KEY" -d '{"cost":"$5"}'`
    expect(imported(line)).toMatchObject({
      url: '{{var.BASE_URL}}/v1/me',
      headers: { authorization: 'Bearer {{var.API_KEY}}' },
    })
    expect(parameters(line)).toEqual(['query team = "{{var.TEAM}}"', 'body cost = "$5"'])
    expect(imported('curl -u $SID:$TOKEN https://a.example').headers).toEqual({
      authorization: 'Basic {{var.BASIC_AUTH}}',
    })
  })

  test.each([
    `curl --fail --silent --show-error https://a.example/x`,
    `curl -sSf -o /dev/null --compressed --http2 https://a.example/x`,
    `curl --location --request GET 'https://a.example/x'`,
    `curl -Nivk https://a.example/x`,
    `curl -fsSL https://a.example/x | jq .`,
  ])('without the options that say how to fetch and print the response: %s', (line) => {
    expect(imported(line)).toMatchObject({ method: 'GET', url: 'https://a.example/x', headers: {} })
  })

  test('when it is copied from a browser', () => {
    const line = `curl 'https://api.example.com/graphql' \\
  -H 'accept: */*' \\
  -H 'accept-language: en-US,en;q=0.9' \\
  --compressed \\
  --insecure \\
  --data-raw $'{"query":"query { me { name } }","variables":{"city":"L\\'Aquila"}}'`
    expect(parameters(line)).toEqual([
      'body query = "query { me { name } }"',
      `body variables = {"city":"L'Aquila"}`,
    ])
  })
})

describe('A curl command is refused', () => {
  test.each([
    ['wget https://a.example', /must begin with curl/],
    ['curl', /no URL/],
    ['curl https://a.example https://b.example', /several URLs/],
    [`curl 'https://a.example`, /never closed/],
    ['curl -d @secrets.json https://a.example', /reads a file/],
    ['curl --json @a.json https://a.example', /reads a file/],
    ['curl --data-urlencode note@a.txt https://a.example', /reads a file/],
    ['curl -H @headers.txt https://a.example', /reads a file/],
    ['curl -b cookies.txt https://a.example', /reads a file/],
    ['curl --digest -u a:b https://a.example', /--digest is not supported/],
    ['curl --retry 3 https://a.example', /--retry is not supported/],
    ['curl --form file=@a.png https://a.example', /--form is not supported: .*multipart/],
    ['curl -sF file=@a.png https://a.example', /-F is not supported: .*multipart/],
    ['curl -r 0-99 https://a.example', /-r is not supported/],
    ['curl -x http://proxy https://a.example', /-x is not supported/],
    ['curl -I https://a.example', /-I is not supported/],
    ['curl -X OPTIONS https://a.example', /OPTIONS requests/],
    ['curl https://a.example -H', /-H has no value/],
    ['curl https://a.example?q=is-{{x}}', /must be the whole value/],
    ['curl https://ada:100%@a.example', /not URL-encoded/],
  ])('%s', (line, message) => {
    expect(() => imported(line)).toThrow(message)
  })
})
