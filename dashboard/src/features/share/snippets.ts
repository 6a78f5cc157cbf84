export interface SnippetValues {
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** The agent's `app_name_id`. */
  readonly model: string
  /** A chat key or a placeholder. */
  readonly apiKey: string
  readonly question: string
}

export const languages = ['curl', 'javascript', 'python', 'go'] as const
export type Language = (typeof languages)[number]

export interface Snippet {
  readonly id: Language
  readonly label: string
  readonly code: string
}

/**
 * The same question with curl and OpenAI's official libraries. Every value is a string literal of its
 * language, so that no agent name can break out of it.
 */
export function snippetsOf(values: SnippetValues): readonly Snippet[] {
  return [
    { id: 'curl', label: 'curl', code: curl(values) },
    { id: 'javascript', label: 'JavaScript', code: javaScript(values) },
    { id: 'python', label: 'Python', code: python(values) },
    { id: 'go', label: 'Go', code: go(values) },
  ]
}

function curl({ baseUrl, model, apiKey, question }: SnippetValues): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: question }] })
  return [
    `curl ${shellString(`${baseUrl}/chat/completions`)}`,
    `  -H ${shellString(`Authorization: Bearer ${apiKey}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${shellString(body)}`,
  ].join(' \\\n')
}

function javaScript({ baseUrl, model, apiKey, question }: SnippetValues): string {
  return `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(baseUrl)},
  apiKey: ${JSON.stringify(apiKey)},
})

const stream = await client.chat.completions.create({
  model: ${JSON.stringify(model)},
  messages: [{ role: 'user', content: ${JSON.stringify(question)} }],
  stream: true,
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')`
}

function python({ baseUrl, model, apiKey, question }: SnippetValues): string {
  return `# pip install openai
from openai import OpenAI

client = OpenAI(
    base_url=${JSON.stringify(baseUrl)},
    api_key=${JSON.stringify(apiKey)},
)

stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": ${JSON.stringify(question)}}],
    stream=True,
)
for chunk in stream:
    print(chunk.choices[0].delta.content or "", end="")`
}

function go({ baseUrl, model, apiKey, question }: SnippetValues): string {
  return `// go get github.com/openai/openai-go/v3
package main

import (
	"context"
	"fmt"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	client := openai.NewClient(
		option.WithBaseURL(${JSON.stringify(`${baseUrl}/`)}),
		option.WithAPIKey(${JSON.stringify(apiKey)}),
	)
	answer, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{
		Model:    ${JSON.stringify(model)},
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(${JSON.stringify(question)})},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(answer.Choices[0].Message.Content)
}`
}

/** One word of a POSIX shell. */
function shellString(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
