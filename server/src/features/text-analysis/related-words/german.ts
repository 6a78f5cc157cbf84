/** The same for German; written without umlauts, as `foldWord` writes them. */
export const german = `
bestellung bestellen kaufen kauf einkauf erwerben
warenkorb einkaufswagen
artikel produkt ware
kunde kundin kaufer
laden geschaft filiale
preis kosten kostet gebuhr teuer
gunstig billig preiswert
rabatt nachlass ermassigung
gutschein geschenkgutschein geschenkkarte
rabattcode gutscheincode
kostenlos gratis umsonst kostenfrei portofrei
bezahlen zahlen zahlung bezahlung zahlungsart
rechnung rechnungskauf
uberweisung bankuberweisung vorkasse
kreditkarte: visa mastercard
bargeld bar
mehrwertsteuer steuer
erstattung erstatten geld_zuruck ruckerstattung ruckzahlung
stornieren stornierung absagen kundigen widerrufen
versand lieferung liefern verschicken versenden zustellung porto versandkosten lieferkosten
lieferzeit lieferung
porto versand versandkosten
paket sendung packchen
paketdienst spediteur bote kurier
sendungsverfolgung verfolgen tracking
zoll einfuhr
abholen abholung selbstabholung
verpackung verpacken
ankommen ankunft erhalten bekommen
spat verspatet verspatung
ruckgabe zuruckgeben rucksendung zurucksenden zuruckschicken retoure rucksendeetikett retournieren
umtausch umtauschen tauschen austauschen
kaputt beschadigt zerbrochen defekt
reparatur reparieren
garantie gewahrleistung
beschwerde reklamation reklamieren
offnungszeiten geoffnet offen
geschlossen zu
telefon telefonisch anrufen anruf telefonnummer erreichbar
email mail nachricht
kontakt kontaktieren erreichen
kundendienst kundenservice hilfe support
mitarbeiter mitarbeiterin personal angestellte
sprechen reden
termin buchung reservierung
parken parkplatz auto wagen parkhaus
bahnhof zug anreise
rollstuhl barrierefrei stufe
hund haustier
stelle job arbeit bewerbung
kurs unterricht workshop
kind kinder tochter sohn
anfanger einsteiger
gruppe team firma
geburtstag feier
krank krankheit erkrankt
reinigen reinigung waschen putzen pflege
fleck flecken
kratzer schramme
geschirr: teller schale tasse becher
mobel: tisch stuhl regal bett schrank sofa bank hocker kommode
schmuck: ring kette ohrring armband
kleidung: hemd hose kleid jacke
stoff textil
teppich laufer
lampe leuchte licht
holz: eiche esche kiefer buche
farbe: rot blau grun gelb weiss schwarz
grosse mass abmessung
lange breite hohe
gewicht schwer wiegen
massanfertigung mass_fertigen
gravur gravieren
passwort kennwort
anmelden einloggen anmeldung login
abmelden ausloggen
registrieren konto_erstellen
konto account profil
vergessen verloren
berechtigung recht rolle
administrator admin
schlussel token
verschlusselt verschlusseln verschlusselung
sicherheit sicher
loschen entfernen
datenschutz dsgvo
starten start
stoppen beenden anhalten
installieren installation einrichten
einstellung konfiguration konfigurieren
aktualisieren update upgrade
sicherung backup sichern
wiederherstellen wiederherstellung
ruckgangig zurucksetzen
andern anderung bearbeiten
export exportieren herunterladen
import importieren hochladen
datei dokument
webseite website homepage
browser: chrome firefox safari
handy: smartphone iphone android mobiltelefon
fehler problem storung
grenze maximum hochstens
minimum mindestens
standard vorgabe
schnell geschwindigkeit
versuch versuchen
warnung alarm
prufen uberprufen
suche suchen finden
agent assistent bot
gesprach unterhaltung chat
antwort antworten
frage fragen
bewertung bewerten feedback
mitglied benutzer nutzer
einladen einladung
sprache: deutsch englisch franzosisch niederlandisch
gultig gultigkeit ablaufen
frist zeitraum
werktag arbeitstag
wochenende: samstag sonntag
montag > mo
dienstag > di
mittwoch > mi
donnerstag > do
freitag > fr
samstag > sa sonnabend
einchecken check_in checkin anreise ankunft
auschecken check_out checkout abreise
elektroauto ladestation ladesaule wallbox
laden > ladestation ladestationen ladesaule
ausland international
deutschland: berlin hamburg munchen koln frankfurt stuttgart dusseldorf leipzig dresden bremen hannover
osterreich: wien graz salzburg
schweiz: zurich bern basel genf
foto bild
bewahren aufbewahren behalten
`
