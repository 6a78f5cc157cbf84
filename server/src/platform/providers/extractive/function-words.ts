import type { Language } from './replies.ts'
import { wordsOf } from './sentences.ts'

/**
 * Words that carry no subject: a passage that shares only these with a question does not answer it.
 * They are the commonest words of each language, with question words and polite phrases, in lowercase
 * and without diacritics.
 */
const lists = {
  en: `a about all also am an and any are as at be been but by can could did do does doing for from
    get give had has have he her him his how i if in into is it its just know like many may me more
    most much must my need no not of off on or our out please say shall she should so some tell
    than that the their them then there these they this those to too up us use was we were what
    when where whether which while who whom whose why will with would you your yours
    explain describe show find long last lasts happen happens mean means work works want let lets im ive id dont cant isnt doesnt
    arent wont didnt wasnt werent couldnt wouldnt shouldnt hasnt havent hadnt whats thats theres youre
    theyre youve weve hes shes ll m re ve d t accept allow allowed available able kind kinds offer
    possible provide something support type types now nothing anything everything still yet already again
    shown thing things happened get got getting go goes going`,
  de: `aber als am an auch auf aus bei bin bis bist da das dass dein dem den der des dich die dir du
    ein eine einem einen einer eines er es fur gibt hat habe haben hast ich ihr ihre im in ist ja
    kann kannst konnen mein meine mich mir mit nach nicht noch nur oder sein seine sich sie sind so
    uber um und uns unser vom von vor war warum was welche welcher welches wenn wer werden wie wir
    wird wo wohin zu zum zur ins ans aufs beim furs im meinem meinen meiner bitte dauert etwas geht lange lang macht man mochte muss soll viel viele`,
  fr: `a ai au aux avec c ce ces cet cette combien comment d dans de des du elle en est et eu il ils
    j je l la le les leur lui m ma mais me mes mon n ne nos notre nous on ou par pas peut pour
    pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur t
    ta te tes ton tu un une vos votre vous y`,
  es: `a al como con cual cuales cuando cuanto cuantos de del donde e el ella ellos en entre es esta
    este esto ha hay la las le les lo los mas me mi mis muy no nos o para pero por porque puede
    puedo que quien se ser si sin sobre son su sus te tu tus un una uno unos y yo`,
  it: `a ai al alla che chi ci come con cosa cui da dal dei del della delle di dove e ed gli ha ho i
    il in io la le lo loro ma mi nel nella non o per perche piu posso puo quale quali quando quanto
    questo se si sono su sua suo tra tu un una uno`,
  pt: `a ao aos as com como da das de do dos e ela ele em entre era essa esse esta este eu foi ha
    isso isto ja mais mas me meu minha na nao nas no nos o onde os ou para pela pelo por porque
    posso pode qual quais quando quanto que quem se sem ser seu sua suas tem um uma voce`,
  nl: `aan al als bij dan dat de die dit door een en er geen had heb hebben heeft het hij hoe hun ik
    in is je kan kun maar me meer met mij mijn na naar niet nog of om onder ons ook op over te tot
    uit van voor waar waarom wanneer wat we wel welke wie wij worden zijn zo zou u uw`,
  zh: `的 了 是 在 我 你 您 他 她 它 们 我们 你们 吗 呢 吧 啊 什么 怎么 怎样 如何 为什么 哪 哪里 哪个 谁 多少 几 和 与 或
    有 没有 不 也 都 就 这 那 这个 那个 可以 能 会 请 请问 要 想 知道 告诉`,
  ja: `は が を に で と も の へ や か から まで より です ます でした ました だ である する します ください
    何 なに どう どこ いつ 誰 なぜ どの いくら いくつ この その あの これ それ あれ ある いる て た ない`,
  ko: `은 는 이 가 을 를 에 의 와 과 도 로 무엇 어떻게 왜 어디 언제 누구`,
  ar: `ما ماذا لماذا متى اين كيف كم هل من الى على في عن مع عند هو هي هم انا انت انتم نحن هذا هذه ذلك تلك
    الذي التي الذين و او ثم ان لا لم لن قد اي كل كان كانت يكون لي لك لكم لدي لديكم يمكن يمكنني
    استطيع اريد فضلك`,
} as const satisfies Partial<Record<Language, string>>

/** The function words of each language that has a list. */
export const wordsOfLanguage: ReadonlyMap<Language, ReadonlySet<string>> = new Map(
  Object.entries(lists).map(([language, list]) => [
    language as Language, // Object.entries forgets the type of its keys.
    new Set(list.split(/\s+/)),
  ]),
)

const words = new Set([...wordsOfLanguage.values()].flatMap((list) => [...list]))

export function isFunctionWord(word: string): boolean {
  return words.has(word)
}

const quantities =
  /\b(?:how (?:long|much|many|far|often|big|large|old|soon|late|early|fast|quick|quickly|high|wide|deep|tall|thick|heavy|hot|warm)|when|what time|price|cost|wie (?:lange|viel|viele|oft|gross|weit)|wann|was kostet|kosten|combien|quand|cuanto|cuanta|cuantos|cuantas|cuando|quanto|quanti|quante|quando|quantos|quantas|hoe (?:lang|veel|vaak|groot)|wanneer|hoeveel)\b|多少|多久|几|何時|何日|いくら|いくつ|얼마|언제|كم|متى/u

/** Whether a question asks for an amount, a time or a price, which a text mostly writes with digits. */
export function asksForNumber(question: string): boolean {
  return quantities.test(wordsOf(question).join(' '))
}

const numberWords = new Set(
  `two three four five six seven eight nine ten eleven twelve fifteen twenty thirty hundred thousand half
  dozen once twice zwei drei vier funf sechs sieben acht neun zehn elf zwolf zwanzig hundert halbe deux
  trois quatre cinq six dix dos tres cuatro cinco diez due quattro cinque dieci twee drie vier vijf tien`.split(
    /\s+/,
  ),
)

/** Whether a word is a number that a text writes with letters. */
export function isNumberWord(word: string): boolean {
  return numberWords.has(word)
}
