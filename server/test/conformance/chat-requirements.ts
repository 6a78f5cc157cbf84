/** The sentences of the interface about chat completions. */
export const chatRequirements = {
  // What the service does
  'chat.purpose': 'Messages go to one agent and its reply comes back.',
  'chat.purpose.session': 'A conversation that is stored can be continued.',
  'chat.plan': 'Builder and higher plans may use the chat API; free ones may not.',

  // Resources: chat request
  'chat.request.model': 'model is required, a string: the app_name_id, <agentname>-<number>.',
  'chat.request.messages': 'messages is required: an array that is not empty.',
  'chat.request.role': 'messages[].role is required: user, assistant or system.',
  'chat.request.content': 'messages[].content is required: the text, a string.',
  'chat.request.stream': 'stream is optional, false unless given; true streams.',
  'chat.request.session':
    'chatSessionId is optional: given it continues, omitted it starts a session.',

  // Resources: chat response
  'chat.response.session': 'The answer has chatSessionId, a UUID to pass back.',
  'chat.response.id': 'The answer has id, of the form chatcmpl-<id>.',
  'chat.response.object': 'The answer has object: chat.completion.',
  'chat.response.created': 'The answer has created: Unix time in whole seconds.',
  'chat.response.model': 'The answer has model: the app_name_id.',
  'chat.response.choices':
    'choices is an array of index, message (role assistant, content string) and finish_reason, such as stop.',
  'chat.response.usage': 'usage has prompt_tokens, completion_tokens and total_tokens, integers.',

  // Resources: chat session
  'chat.session.uuid': 'A session is identified by a chatSessionId, a UUID string.',
  'chat.session.loaded': 'With a chatSessionId the earlier messages of the session are loaded.',
  'chat.session.new': 'Without a chatSessionId a new session starts.',
  'chat.session.header': 'X-Chat-Session-ID is another way to pass a session id; the body wins.',

  // Endpoints: chat completions
  'chat.endpoint': 'POST {base_url}/api/v1/chat/completions, with a bearer key.',
  'chat.header.authorization': 'Authorization: Bearer <API_KEY> is required.',
  'chat.header.content-type': 'Content-Type: application/json is required.',
  'chat.header.correlation': 'X-Correlation-ID is optional: the id to track the request by.',
  'chat.versioning': 'The path carries the version segment v1.',

  // Authentication
  'chat.auth.key': "The key is one agent's.",

  // Errors
  'chat.error.body': 'An error is a JSON object with error, a string.',
  'chat.error.model': '400: `model` is required and must be a string.',
  'chat.error.messages': '400: `messages` must be a non-empty array.',
  'chat.error.missing-key': '401: Missing API key.',
  'chat.error.bad-key': '401: Invalid API key.',
  'chat.error.plan': '401: This API is only available on a paid plan., then an upgrade hint.',
  'chat.error.unknown-agent': '404: Unknown model "<model>".',
  'chat.error.server': '500: Internal Server Error.',
} as const
