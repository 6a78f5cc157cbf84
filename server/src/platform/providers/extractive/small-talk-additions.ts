import { wordsOf } from './sentences.ts'

/**
 * What people add to small talk without changing what it is: `thanks, that was really helpful`. Alone it
 * is none.
 */
const additions = `
  today|please|really|so much|very much|a lot|again|everyone|there|dear|my friend|for everything|for your time|
  for the help|for your help|for the answer|for the quick answer|for the info|that helps|that helped|
  that really helped|that was helpful|that was very helpful|that was really helpful|this was helpful|
  very helpful|you are great|you are awesome|you are the best|you are very helpful|you re great|you re the best|
  heute|bitte|dir|ihnen|fur alles|fur die hilfe|fur deine hilfe|fur ihre hilfe|fur die antwort|
  fur die schnelle antwort|fur die info|das hilft|das hilft mir|das war hilfreich|das war sehr hilfreich|du bist toll|
  aujourd hui|s il vous plait|s il te plait|pour tout|pour l aide|pour votre aide|pour ton aide|pour la reponse|
  hoy|por favor|por todo|por la ayuda|por tu ayuda|por su ayuda|por la respuesta|
  oggi|per favore|per tutto|di tutto|per l aiuto|per la risposta|
  hoje|por tudo|pela ajuda|pela resposta|
  vandaag|alsjeblieft|alstublieft|voor alles|voor de hulp|voor je hulp|voor uw hulp|voor het antwoord|
  dzisiaj|proszę|za pomoc|za wszystko|za odpowiedź|dnes|prosím|za všechno|za odpověď|
  bugün|lütfen|her şey için|yardımın için|yardımınız için|
  idag|för allt|för hjälpen|för svaret|i dag|for alt|for hjælpen|for hjelpen|for svaret|
  сегодня|пожалуйста|вам|тебе|за помощь|за ответ|за всё|
  你的帮助|您的帮助|帮助|你|您|今天|今日は|助かりました|도와주셔서|오늘|
  على المساعدة|على مساعدتك|لمساعدتك|اليوم|من فضلك|על העזרה|היום|בבקשה|
  मदद के लिए|आपकी मदद के लिए|आज|कृपया|สำหรับความช่วยเหลือ|ที่ช่วย|วันนี้`

const known = new Set(additions.split('|').map((phrase) => wordsOf(phrase).join('')))

/** What comes before a name. */
const naming = new Set(
  `my name is|mein name ist|ich heiße|ich heisse|je m appelle|mon nom est|me llamo|mi nombre es|mi chiamo|
    il mio nome è|meu nome é|me chamo|ik heet|mijn naam is|nazywam się|mam na imię|jmenuji se|benim adım|
    jag heter|jeg hedder|jeg heter|меня зовут`
    .split('|')
    .map((phrase) => wordsOf(phrase).join('')),
)

/** Words of a name. */
const longestName = 2

/** Whether words add nothing to small talk that they follow or precede: a phrase, or a name. */
export function isAddition(words: readonly string[]): boolean {
  if (known.has(words.join(''))) return true
  for (let name = 1; name <= longestName; name += 1)
    if (naming.has(words.slice(0, -name).join(''))) return true
  return false
}
