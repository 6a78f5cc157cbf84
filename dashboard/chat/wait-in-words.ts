/** A longer wait is said in minutes. */
const mostSeconds = 120

/** How long to wait, as the language says it: "in 1 second", "in 57 minutes". */
export function waitInWords(language: string, seconds: number): string {
  const words = new Intl.RelativeTimeFormat(language)
  const whole = Math.max(1, Math.ceil(seconds))
  return whole > mostSeconds
    ? words.format(Math.ceil(whole / 60), 'minute')
    : words.format(whole, 'second')
}
