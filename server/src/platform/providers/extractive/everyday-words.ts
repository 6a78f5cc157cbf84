/**
 * Words of which any text may be full: they tell a story around a question rather than its subject. A
 * text that answers need not contain them. They are in lowercase and without diacritics.
 */
const lists = [
  `able after afternoon ago ahead alone along already although always amount another anybody
    anyone anyway anywhere apart appear around aside ask asked asking away back bad basically be
    became because become before began begin behind believe best better between big bit both
    bought bring brought buying called came care carry certain certainly choose clear clearly
    close come comes coming common completely concerned consider correct could couple course
    current currently day days decide definitely depend despite detail different difficult
    directly during each early easily easy either else end enough entire especially etc even
    evening ever every everybody everyone exact exactly example except expect fact fairly fast
    feel feeling felt few fill final finally fine first following forever forward found friend
    friends front full fully further general generally given giving gone good great guess had hand
    handle happy hard hardly having hear heard hello help helpful here herself hi himself hold
    hope hoping idea ideally imagine immediate immediately important indeed inside instead
    interested issue itself keep keeps kept knew known large largest last late lately later latest
    least leave less lie life likely line little living locate look looked looking looks lot lots
    love loved luckily made main mainly make makes making man manage matter maybe meant meanwhile
    mention might mind mine moment morning mostly move moved myself name near nearly necessary
    needed needs neither never nevertheless new next nice night nobody none normal normally
    noticed now nowhere occasionally occur odd often oh old older once one ones onto opposite
    ordinary original others otherwise ought ourselves outside over own part particular
    particularly past people perhaps person piece place plus point possibly prefer pretty previous
    probably problem properly purpose put question quickly quiet quite rather reach read real
    realize really reason recent recently regarding regular regularly related remain remember
    right roughly run said same saw says second see seem seems seen sense serious set several
    sheet short shortly side similar simple simply since single sit situation small somebody
    somehow someone something sometimes somewhere soon sorry sort speak special specific stand
    start started stay still stop straight strange stuff such suddenly suggest suit sure take
    taken takes taking talk team tend there therefore thing think thinking third though thought
    three through thus time times today together told tomorrow tonight too took total totally
    toward towards tried true truly try trying turn turned twice two under understand
    unfortunately unless until upon used useful user using usual usually various via visit wait
    waiting walk wanted wants way ways week weeks welcome well went whatever whenever wherever
    whole whose wish within without wonder wondering work worked working worry worth wrong year
    years yes yesterday yours yourself afford answer anymore arrange assume aware besides compare
    differ exist explanation figure happening include including involve kindly lack learn meaning
    miss mistake notice number obtain occurs pass position prepare present prevent proceed process
    produce proper recommend refer reply require seek solution solve step suppose thanks thank tip
    touch trouble understanding unsure view whether
    anyways asap aunt awesome boyfriend brother btw bunch cool damn dad earth folks gonna gotta
    guy guys haha heck hell hey honestly husband kinda literally lol lunch mom mum ok okay oops pls plz
    sister stuff super thx tons ugh uncle wanna weekend weird wife wow yep yesterday`,
  `aktuell alle allem allen aller allerdings alles andere anderen anders anfang anscheinend
    ansonsten bald bekomme bekommen benotige benotigen bereits besonders besser beste bestimmt bin
    bisher bleibt brauche brauchen bringen dabei dafur dagegen daher dahin damals damit danach
    dann daran darauf daruber darum davon dazu denken denn derzeit deshalb dies diese diesem
    diesen dieser dieses doch dort drei durch eben eher eigentlich einfach einige einiges einmal
    endlich entweder erst erste euch euer eure falls fertig finde finden freund freunde fruh frage
    fragen ganz gar geben gehen gehort genau genug gerade gern gerne gestern gleich gut gute guten
    hallo hatte hatten heute hier hilfe hinter hoffe immer innerhalb irgendwie irgendwo jede jedem
    jeden jeder jedes jedoch jemand jemandem jemanden jetzt kein keine keinen keiner klar klein
    kleine komme kommen kommt konnte konnten kurz lassen leben legen leicht leider letzte letzten
    letzter lieber liegt los machen mal manchmal mehr mehrere meinem meinen meiner meist meistens
    mitbringen mitnehmen mochten moglich moglichkeit morgen musse mussen muss nachdem nachste nachsten nah naturlich
    neben nehmen nein neu neue neuen nichts nie niemand nimmt nummer nun nur ob oben oft ohne personen
    plotzlich richtig sache sachen sage sagen schade schlecht schnell schon sehen sehr seit
    seitdem selbst sicher sofort sogar solche sollen sollte sonst spat spater statt tag tage tagen
    trotz trotzdem tun uberhaupt ungefahr unter verstehe verstehen versuche versuchen vielen
    vielleicht vollig vorher wahrend wahrscheinlich warten wegen weil weiss weit weiter wenig
    wenige weniger wieder wirklich wissen woche wochen wohl wohne wohnen wohnt wolle wollen wollte
    worden wurde wurden ziemlich zuerst zuletzt zurzeit zusammen zwar zwei zwischen`,
]

const words = new Set(lists.flatMap((list) => list.split(/\s+/)))

export function isEverydayWord(word: string): boolean {
  return words.has(word)
}
