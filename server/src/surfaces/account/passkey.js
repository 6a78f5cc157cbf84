// Runs the passkey ceremony of a page: a form's data-passkey says whether the browser creates a passkey
// or uses one, data-options what the service needs. The answer is sent in the form.

async function answerOf({ passkey, options }) {
  const given = JSON.parse(options)
  return passkey === 'create'
    ? await navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(given),
      })
    : await navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(given),
      })
}

async function submit(form) {
  const problem = form.querySelector('[data-problem]')
  problem.hidden = true
  try {
    const answer = await answerOf(form.dataset)
    form.elements.answer.value = JSON.stringify(answer.toJSON())
    form.submit()
  } catch (error) {
    problem.textContent =
      error.name === 'InvalidStateError' ? form.dataset.known : form.dataset.failed
    problem.hidden = false
  }
}

for (const form of document.querySelectorAll('form[data-passkey]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void submit(form)
  })
