/** What the model says in its own words, in every language whose small talk it understands. */
export interface Replies {
  readonly greeting: string
  readonly thanks: string
  readonly farewell: string
  readonly foundNothing: string
  readonly askedNothing: string
  /** @param page the title of a page, with the headings of the quoted part */
  from(page: string): string
}

export type Language = keyof typeof replies

/** What a message can be that asks nothing. */
export type SmallTalkKind = 'greeting' | 'thanks' | 'farewell' | 'askedNothing'

export const replies = {
  en: {
    greeting:
      'Hello! I answer by quoting this agent’s knowledge word for word; no language model is connected. Ask me about something it covers.',
    thanks: 'You are welcome! Ask me anything else about my knowledge.',
    farewell: 'Goodbye! Come back whenever you have a question.',
    foundNothing:
      'I found nothing about that in my knowledge. I can only quote what it says; no language model is connected.',
    askedNothing: 'Please ask a question in words: I can only search my knowledge for text.',
    from: (page) => `From “${page}”:`,
  },
  de: {
    greeting:
      'Hallo! Ich antworte, indem ich wörtlich aus dem Wissen dieses Agenten zitiere; es ist kein Sprachmodell angebunden. Fragen Sie mich gern etwas dazu.',
    thanks: 'Gern geschehen! Fragen Sie mich gern noch etwas.',
    farewell: 'Auf Wiedersehen! Kommen Sie gern wieder, wenn Sie eine Frage haben.',
    foundNothing:
      'Dazu habe ich in meinem Wissen nichts gefunden. Ich kann nur daraus zitieren; es ist kein Sprachmodell angebunden.',
    askedNothing: 'Bitte stellen Sie eine Frage in Worten: Ich kann nur nach Text suchen.',
    from: (page) => `Aus „${page}“:`,
  },
  fr: {
    greeting:
      'Bonjour ! Je réponds en citant mot pour mot les connaissances de cet agent ; aucun modèle de langage n’est connecté. Posez-moi une question à leur sujet.',
    thanks: 'Avec plaisir ! N’hésitez pas à poser une autre question.',
    farewell: 'Au revoir ! Revenez quand vous aurez une question.',
    foundNothing:
      'Je n’ai rien trouvé à ce sujet dans mes connaissances. Je peux seulement les citer ; aucun modèle de langage n’est connecté.',
    askedNothing: 'Posez une question avec des mots : je ne peux chercher que du texte.',
    from: (page) => `Extrait de « ${page} » :`,
  },
  es: {
    greeting:
      '¡Hola! Respondo citando palabra por palabra los conocimientos de este agente; no hay ningún modelo de lenguaje conectado. Pregúnteme algo sobre ellos.',
    thanks: '¡De nada! Puede hacerme otra pregunta cuando quiera.',
    farewell: '¡Hasta luego! Vuelva cuando tenga una pregunta.',
    foundNothing:
      'No he encontrado nada sobre eso en mis conocimientos. Solo puedo citarlos; no hay ningún modelo de lenguaje conectado.',
    askedNothing: 'Escriba una pregunta con palabras: solo puedo buscar texto.',
    from: (page) => `De «${page}»:`,
  },
  it: {
    greeting:
      'Ciao! Rispondo citando parola per parola le conoscenze di questo agente; nessun modello linguistico è collegato. Mi faccia una domanda su di esse.',
    thanks: 'Prego! Mi faccia pure un’altra domanda.',
    farewell: 'Arrivederci! Torni quando ha una domanda.',
    foundNothing:
      'Non ho trovato nulla su questo nelle mie conoscenze. Posso solo citarle; nessun modello linguistico è collegato.',
    askedNothing: 'Scriva una domanda a parole: posso cercare solo testo.',
    from: (page) => `Da «${page}»:`,
  },
  pt: {
    greeting:
      'Olá! Respondo citando, palavra por palavra, o conhecimento deste agente; nenhum modelo de linguagem está ligado. Pergunte algo sobre ele.',
    thanks: 'De nada! Pode fazer outra pergunta.',
    farewell: 'Até logo! Volte quando tiver uma pergunta.',
    foundNothing:
      'Não encontrei nada sobre isso no meu conhecimento. Só posso citá-lo; nenhum modelo de linguagem está ligado.',
    askedNothing: 'Escreva uma pergunta com palavras: só posso procurar texto.',
    from: (page) => `De «${page}»:`,
  },
  nl: {
    greeting:
      'Hallo! Ik antwoord door woord voor woord uit de kennis van deze agent te citeren; er is geen taalmodel aangesloten. Stel gerust een vraag daarover.',
    thanks: 'Graag gedaan! Stel gerust nog een vraag.',
    farewell: 'Tot ziens! Kom gerust terug als u een vraag heeft.',
    foundNothing:
      'Daarover heb ik niets gevonden in mijn kennis. Ik kan alleen daaruit citeren; er is geen taalmodel aangesloten.',
    askedNothing: 'Stel een vraag in woorden: ik kan alleen naar tekst zoeken.',
    from: (page) => `Uit „${page}”:`,
  },
  zh: {
    greeting: '您好！我逐字引用此智能体的知识来回答；没有连接语言模型。请就其中的内容提问。',
    thanks: '不客气！您还可以继续提问。',
    farewell: '再见！有问题时欢迎再来。',
    foundNothing: '我在我的知识中没有找到相关内容。我只能引用其中的文字；没有连接语言模型。',
    askedNothing: '请用文字提问：我只能在知识中搜索文字。',
    from: (page) => `来自“${page}”：`,
  },
  ja: {
    greeting:
      'こんにちは。このエージェントの知識をそのまま引用してお答えします。言語モデルは接続されていません。内容についてご質問ください。',
    thanks: 'どういたしまして。ほかにもご質問があればどうぞ。',
    farewell: 'さようなら。ご質問があれば、またお越しください。',
    foundNothing:
      'その内容は知識の中に見つかりませんでした。引用することしかできません。言語モデルは接続されていません。',
    askedNothing: '言葉で質問してください。文字しか検索できません。',
    from: (page) => `「${page}」より：`,
  },
  ko: {
    greeting:
      '안녕하세요! 이 에이전트의 지식을 그대로 인용하여 답합니다. 언어 모델은 연결되어 있지 않습니다. 그 내용에 대해 질문해 주세요.',
    thanks: '천만에요! 다른 질문도 해 주세요.',
    farewell: '안녕히 가세요! 질문이 있으면 다시 오세요.',
    foundNothing:
      '제 지식에서 그 내용을 찾지 못했습니다. 인용만 할 수 있으며, 언어 모델은 연결되어 있지 않습니다.',
    askedNothing: '말로 질문해 주세요. 텍스트만 검색할 수 있습니다.',
    from: (page) => `“${page}”에서:`,
  },
  ar: {
    greeting:
      'مرحبا! أجيب باقتباس معرفة هذا الوكيل حرفيا؛ لا يوجد نموذج لغوي متصل. اسألني عن شيء تتناوله.',
    thanks: 'على الرحب والسعة! يمكنك أن تسألني سؤالا آخر.',
    farewell: 'مع السلامة! عد متى كان لديك سؤال.',
    foundNothing: 'لم أجد شيئا عن ذلك في معرفتي. يمكنني الاقتباس منها فقط؛ لا يوجد نموذج لغوي متصل.',
    askedNothing: 'من فضلك اكتب سؤالا بالكلمات: لا يمكنني البحث إلا عن النصوص.',
    from: (page) => `من «${page}»:`,
  },
  ru: {
    greeting:
      'Здравствуйте! Я отвечаю дословными цитатами из знаний этого агента; языковая модель не подключена. Задайте вопрос о том, что в них есть.',
    thanks: 'Пожалуйста! Задавайте и другие вопросы.',
    farewell: 'До свидания! Возвращайтесь, когда появится вопрос.',
    foundNothing:
      'Об этом в моих знаниях ничего нет. Я могу только цитировать их; языковая модель не подключена.',
    askedNothing: 'Задайте, пожалуйста, вопрос словами: я могу искать только текст.',
    from: (page) => `Из «${page}»:`,
  },
  pl: {
    greeting:
      'Dzień dobry! Odpowiadam, cytując dosłownie wiedzę tego agenta; nie jest podłączony żaden model językowy. Proszę zapytać o coś, co ona obejmuje.',
    thanks: 'Nie ma za co! Proszę pytać dalej.',
    farewell: 'Do widzenia! Zapraszam, gdy pojawi się pytanie.',
    foundNothing:
      'W mojej wiedzy nie ma nic na ten temat. Mogę ją tylko cytować; nie jest podłączony żaden model językowy.',
    askedNothing: 'Proszę zadać pytanie słowami: potrafię szukać tylko tekstu.',
    from: (page) => `Z „${page}”:`,
  },
  cs: {
    greeting:
      'Dobrý den! Odpovídám doslovnými citacemi ze znalostí tohoto agenta; není připojen žádný jazykový model. Zeptejte se na něco, co obsahují.',
    thanks: 'Není zač! Klidně se zeptejte na něco dalšího.',
    farewell: 'Na shledanou! Vraťte se, až budete mít otázku.',
    foundNothing:
      'O tom v mých znalostech nic není. Umím z nich jen citovat; není připojen žádný jazykový model.',
    askedNothing: 'Položte prosím otázku slovy: umím hledat jen text.',
    from: (page) => `Z „${page}“:`,
  },
  tr: {
    greeting:
      'Merhaba! Bu temsilcinin bilgisinden kelimesi kelimesine alıntı yaparak yanıt veriyorum; bağlı bir dil modeli yok. İçindeki bir konuyu sorabilirsiniz.',
    thanks: 'Rica ederim! Başka bir şey de sorabilirsiniz.',
    farewell: 'Hoşça kalın! Bir sorunuz olduğunda yine gelin.',
    foundNothing:
      'Bilgimde bununla ilgili bir şey bulamadım. Yalnızca alıntı yapabilirim; bağlı bir dil modeli yok.',
    askedNothing: 'Lütfen sorunuzu kelimelerle yazın: yalnızca metin arayabilirim.',
    from: (page) => `“${page}” sayfasından:`,
  },
  sv: {
    greeting:
      'Hej! Jag svarar genom att citera den här agentens kunskap ordagrant; ingen språkmodell är ansluten. Fråga mig om något som den tar upp.',
    thanks: 'Varsågod! Fråga gärna om något mer.',
    farewell: 'Hej då! Kom gärna tillbaka när du har en fråga.',
    foundNothing:
      'Jag hittade inget om det i min kunskap. Jag kan bara citera den; ingen språkmodell är ansluten.',
    askedNothing: 'Ställ en fråga med ord: jag kan bara söka efter text.',
    from: (page) => `Ur ”${page}”:`,
  },
  da: {
    greeting:
      'Goddag! Jeg svarer ved at citere denne agents viden ordret; der er ikke tilsluttet nogen sprogmodel. Spørg mig om noget, som den handler om.',
    thanks: 'Selv tak! Spørg gerne om mere.',
    farewell: 'Farvel! Kom gerne igen, når du har et spørgsmål.',
    foundNothing:
      'Det fandt jeg intet om i min viden. Jeg kan kun citere den; der er ikke tilsluttet nogen sprogmodel.',
    askedNothing: 'Stil et spørgsmål med ord: jeg kan kun søge efter tekst.',
    from: (page) => `Fra “${page}”:`,
  },
  no: {
    greeting:
      'Hei! Jeg svarer ved å sitere denne agentens kunnskap ordrett; ingen språkmodell er koblet til. Spør meg om noe som den handler om.',
    thanks: 'Bare hyggelig! Spør gjerne om mer.',
    farewell: 'Ha det! Kom gjerne tilbake når du har et spørsmål.',
    foundNothing:
      'Det fant jeg ingenting om i kunnskapen min. Jeg kan bare sitere den; ingen språkmodell er koblet til.',
    askedNothing: 'Still et spørsmål med ord: jeg kan bare søke etter tekst.',
    from: (page) => `Fra «${page}»:`,
  },
  he: {
    greeting:
      'שלום! אני עונה בציטוט מילה במילה מתוך הידע של הסוכן הזה; לא מחובר מודל שפה. אפשר לשאול אותי על מה שיש בו.',
    thanks: 'בבקשה! אפשר לשאול עוד שאלות.',
    farewell: 'להתראות! אפשר לחזור בכל שאלה.',
    foundNothing: 'לא מצאתי על כך דבר בידע שלי. אני יכול רק לצטט ממנו; לא מחובר מודל שפה.',
    askedNothing: 'נא לשאול שאלה במילים: אני יכול לחפש רק טקסט.',
    from: (page) => `מתוך „${page}”:`,
  },
  hi: {
    greeting:
      'नमस्ते! मैं इस एजेंट के ज्ञान को शब्दशः उद्धृत करके उत्तर देता हूँ; कोई भाषा मॉडल जुड़ा नहीं है। इसमें मौजूद किसी विषय के बारे में पूछिए।',
    thanks: 'आपका स्वागत है! और भी प्रश्न पूछिए।',
    farewell: 'अलविदा! कोई प्रश्न हो तो फिर आइए।',
    foundNothing:
      'मुझे अपने ज्ञान में इसके बारे में कुछ नहीं मिला। मैं केवल उसे उद्धृत कर सकता हूँ; कोई भाषा मॉडल जुड़ा नहीं है।',
    askedNothing: 'कृपया अपना प्रश्न शब्दों में लिखिए: मैं केवल पाठ खोज सकता हूँ।',
    from: (page) => `“${page}” से:`,
  },
  th: {
    greeting:
      'สวัสดี! ฉันตอบโดยยกข้อความจากความรู้ของเอเจนต์นี้แบบคำต่อคำ ไม่มีโมเดลภาษาเชื่อมต่ออยู่ ถามเรื่องที่อยู่ในความรู้นี้ได้เลย',
    thanks: 'ด้วยความยินดี! ถามเรื่องอื่นได้อีก',
    farewell: 'ลาก่อน! กลับมาใหม่ได้เมื่อมีคำถาม',
    foundNothing: 'ฉันไม่พบเรื่องนี้ในความรู้ของฉัน ฉันยกข้อความจากความรู้ได้เท่านั้น ไม่มีโมเดลภาษาเชื่อมต่ออยู่',
    askedNothing: 'โปรดพิมพ์คำถามเป็นข้อความ ฉันค้นหาได้เฉพาะข้อความเท่านั้น',
    from: (page) => `จาก “${page}”:`,
  },
} as const satisfies Record<string, Replies>
