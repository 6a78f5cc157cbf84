/** What Turnstile and hCaptcha have in common. */
interface Provider {
  render(
    container: HTMLElement,
    options: {
      readonly sitekey: string
      readonly callback: (token: string) => void
      readonly 'error-callback': () => void
    },
  ): unknown
}

/** How long the provider's script may take. */
const patienceMs = 15_000

/** The captcha in a window of its own: shows it, and gives its token to the chat page that opened it. */
function showCaptcha({ name = '', sitekey = '', source = '' }: DOMStringMap): void {
  // Whoever opened the window has an opaque origin, which cannot be named.
  const tell = (token: string) => {
    const opener = window.opener as Window | null
    opener?.postMessage({ captcha: token }, '*')
    window.close()
  }
  const timer = setTimeout(() => tell(''), patienceMs)
  const show = () => {
    clearTimeout(timer)
    // The provider's script defines an object of this name.
    const provider = (window as unknown as Record<string, Provider | undefined>)[name]
    const box = document.getElementById('captcha')
    if (provider === undefined || box === null) tell('')
    else provider.render(box, { sitekey, callback: tell, 'error-callback': () => tell('') })
  }
  Object.assign(window, { parleyShow: show })
  const script = document.createElement('script')
  script.src = `${source}?render=explicit&onload=parleyShow`
  script.addEventListener('error', () => tell(''))
  document.head.append(script)
}

const own = document.currentScript
if (own !== null) showCaptcha(own.dataset)
