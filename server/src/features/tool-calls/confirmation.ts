/** Words of agreement, in the most common languages. */
const agreeing = new Set(
  (
    'yes y yep yeah ok okay sure confirm confirmed confirming agree agreed approve approved proceed ' +
    'absolutely definitely ja jawohl bestätige bestätigt einverstanden oui confirme ok d’accord sí si ' +
    'confirmo sim claro va bene confermo ja tak potwierdzam да подтверждаю так evet onaylıyorum ' +
    'はい ok 確認 お願いします 是 是的 好 好的 确认 可以 確定 네 예 확인 نعم أوافق हाँ'
  ).split(' '),
)

/** Words that do not change the meaning of agreement. */
const harmless = new Set(
  (
    'i we please do it that this them both all go ahead now right correct thanks thank you run make ' +
    'so just the a my of with looks good great perfect fine want to would like for me can ' +
    'bitte mach das es danke passt gerne los s il te vous plaît merci por favor gracias hazlo ' +
    'pode fazer obrigado per grazie procedi proszę пожалуйста lütfen です ください 请 يرجى'
  ).split(' '),
)

/** A message with one of these is not simple agreement. */
const turning = new Set(
  (
    'no not nope never don’t dont but however instead if unless except later nein nicht aber sondern ' +
    'non pas mais no pero sino não mas nie ale нет не но hayır ama いいえ 不 不要 아니요 لا'
  ).split(' '),
)

const longest = 300

/**
 * True for a message that contains only agreement. Besides words of agreement it may contain words of
 * the question, which people repeat: “yes, cancel order 42”. Anything more is not a confirmation,
 * because the person may want something else.
 *
 * @param question the complete question that the person was asked
 */
export function isConfirmation(message: string, question: string): boolean {
  if (message.length > longest || message.includes('?') || message.includes('？')) return false
  const words = wordsOf(message)
  const asked = new Set(wordsOf(question))
  return (
    words.some((word) => agreeing.has(word)) &&
    words.every((word) => agreeing.has(word) || harmless.has(word) || asked.has(word)) &&
    !words.some((word) => turning.has(word))
  )
}

function wordsOf(text: string): string[] {
  const plain = text.toLowerCase().replaceAll("'", '’')
  return plain.match(/[\p{L}\p{M}\p{N}’]+/gu) ?? []
}

/** What a person is asked to confirm. */
export interface Asked {
  readonly title: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Longer values cannot be confirmed, because they are not shown in full. UTF-16 code units. */
const maxValueLength = 2_000

/**
 * The question. The model does not write it, because it could leave out important parts. Values are
 * JSON, so that none can pass for a part of the question.
 */
export function confirmationQuestion(asked: readonly Asked[]): string {
  const lines = asked.map(({ title, arguments: values }) => {
    const shown = Object.entries(values).map(([name, value]) => `${name}: ${textOf(value)}`)
    return `- ${title}${shown.length === 0 ? '' : ` (${shown.join(', ')})`}`
  })
  return ['To go ahead, reply “yes”:', ...lines].join('\n')
}

/** True when a value is too long to be shown in full. */
export function isTooLongToShow({ arguments: values }: Asked): boolean {
  return Object.values(values).some((value) => textOf(value).length > maxValueLength)
}

function textOf(value: unknown): string {
  return JSON.stringify(value) ?? ''
}
