/**
 * Words that people who ask use for each other, by subject. A line lists words of about one meaning, or
 * after a colon the kinds of something, or after `>` what a text may write for it, but people do not ask
 * with. A phrase has `_` between its words.
 */
export const english = `
order purchase buy
basket cart trolley
item product article goods merchandise
customer client buyer shopper
shop store boutique showroom
seller vendor retailer dealer merchant supplier
price cost fee charge rate fare tariff expensive
cheap inexpensive affordable
discount reduction rebate markdown
sale offer promotion deal bargain clearance
code coupon promo_code voucher_code
voucher gift_card gift_certificate gift_voucher gift_token
free gratis complimentary no_cost no_charge
pay payment paid settle
prepay deposit down_payment in_advance upfront
instalment installment monthly_rate
invoice bill
receipt proof_of_purchase
tax vat duty levy
cash banknote coin
cheque check
card: visa mastercard amex maestro credit_card debit_card
cryptocurrency: bitcoin ethereum crypto litecoin dogecoin stablecoin
transfer wire remittance
currency: euro dollar pound franc yen
refund reimburse repay money_back cash_back
cancel call_off withdraw annul revoke
subscription subscribe plan membership
newsletter mailing_list
stock available availability sold_out inventory
loyalty reward bonus_points
wholesale reseller trade_price bulk
company business firm corporation enterprise
delivery deliver shipping ship shipment dispatch send postage freight
postage stamp
parcel package packet box
carrier courier postman forwarder haulier
track trace tracking
customs import_duty
abroad overseas international foreign outside
address destination
pickup pick_up collect collection fetch
pack packaging wrap wrapping box cardboard padding
arrive arrival receive come
late delayed delay overdue
lost missing vanished disappeared
return send_back give_back bring_back take_back
exchange swap replace replacement substitute
broken damaged cracked smashed shattered defective faulty
chipped chip crack
fault defect flaw
repair fix mend
warranty guarantee
complaint complain
unused unopened unworn
opening_hours open hours
closed shut
phone telephone call ring
email e_mail mail
message note
contact get_in_touch reach
staff employee personnel
colleague coworker teammate workmate
appointment booking reservation
book reserve
visit stop_by drop_in
parking park car vehicle automobile
directions route getting_here
train station railway
wheelchair step ramp accessible barrier_free
pet: dog cat
job vacancy career opening recruit hire hiring employment
class course lesson workshop seminar
child children kid youngster daughter son boy girl toddler
baby infant toddler
adult grown_up
teacher instructor tutor trainer
beginner novice
group party team
birthday anniversary
wedding marriage bride
gift present
ill sick unwell
language: english german french spanish italian dutch portuguese
clean wash rinse scrub
wipe dust
stain spot blot
mark line streak trace
scratch scrape
plate dish
bowl basin
mug cup beaker
crockery: plate bowl mug cup saucer dish
furniture: table chair shelf bookshelf bookcase desk bed sofa couch wardrobe cupboard cabinet bench stool dresser sideboard
shelf: bookshelf bookcase rack
seat: chair stool bench sofa
jewellery jewelry
jewellery: ring necklace earring bracelet brooch
cutlery: knife fork spoon
clothes clothing apparel garment
clothes: shirt trousers dress jacket coat sweater skirt shoe
textile fabric cloth
textile: linen wool cotton silk velvet
rug carpet mat
lamp light lantern
candle taper
drink: coffee tea wine beer juice water
gold golden gilded
silver silvery
wood wooden timber
wood: oak ash pine beech walnut
metal: brass steel iron copper aluminium
edge rim border
fibre lint fluff shed
grey gray
colour color shade hue
colour: red blue green yellow white black grey brown pink
iron press
oven stove
poison poisonous toxic harmful
metal: lead cadmium
eco sustainable environment recycle
origin made_of come_from
size dimension measurement
measurement: length width height depth diameter
capacity volume content hold fit
weight heavy weigh
litre liter
bespoke custom made_to_measure made_to_order tailor_made customised measure
engrave engraving inscription
personalise personalize
spare replacement_part
password passphrase
login log_in sign_in log_on signin logon
logout log_out sign_out
register sign_up create_account
forgot forgotten
lockout locked_out blocked
2fa two_factor second_factor mfa authenticator one_time_code passkey
permission right privilege
role permission
administrator admin operator
owner proprietor
secret credential
key token
encrypt encryption cipher
security secure safety
protect guard
delete remove erase destroy wipe purge
privacy gdpr personal_data data_protection
anonymous anonymise
tamper manipulate forge falsify
start launch run boot
stop shut_down quit terminate halt switch_off turn_off
enable turn_on switch_on activate
disable turn_off switch_off deactivate
restart reboot
install set_up setup deploy installation
configure configuration setting option preference
upgrade update migrate
version revision release
backup back_up
restore recover recovery
undo revert roll_back rollback go_back
earlier previous former old past
change modify edit alter adjust
overwrite replace lose
export download
import upload
file document
scan scanned scanner ocr
website site homepage web_page
widget bubble
embed paste
browser: chrome firefox safari edge
phone: mobile smartphone iphone android cell_phone
tablet ipad
dashboard admin_interface control_panel admin_panel console
interface ui
server host machine computer
log logfile
error failure fault
fail failed crash go_wrong went_wrong
timeout time_out
limit maximum max cap ceiling at_most
minimum min at_least
default standard preset
increase raise
reduce decrease lower
fast quick speed rapid
slow sluggish
attempt try retry
alert alarm
notify notification inform
monitor monitoring observe
metric statistic figure
analytics statistics
verify check validate
test try_out
proxy nginx caddy haproxy traefik
webhook callback
command cli terminal shell
script program
status state
model llm
embedding vector
search find look_up lookup
agent assistant bot chatbot
conversation dialogue chat
session conversation
answer response reply
ask question query
rate rating feedback
member user
invite invitation
workspace organisation organization
licence license
id identifier
choose pick select
allow permit let
forbid prohibit refuse deny reject
show display view
use employ utilise
need require must
keep store retain save
same identical
simultaneous same_time concurrent at_once
many several multiple
expire run_out lapse
valid validity
leave depart quit
begin start
finish complete done ready
combine stack
read_only view_only
follow trace
copy duplicate clone
rename name
schedule timetable
hour minute
week weekday weekend
weekend: saturday sunday
monday > mon
tuesday > tue tues
wednesday > wed
thursday > thu thur thurs
friday > fri
saturday > sat
sunday > sun
january > jan
february > feb
august > aug
september > sep sept
october > oct
november > nov
december > dec
check_in checkin arrival
check_out checkout departure
month: january february march april june july august september october november december
december christmas xmas
europe: eu
eu: austria belgium bulgaria croatia denmark finland france germany greece hungary ireland italy luxembourg netherlands poland portugal romania spain sweden
netherlands holland dutch
netherlands: amsterdam rotterdam leiden utrecht
germany: berlin hamburg munich cologne frankfurt stuttgart
united_kingdom britain england uk
france: paris lyon marseille
austria: vienna
switzerland: zurich geneva bern swiss
belgium: brussels antwerp ghent
address location
upstairs stair floor storey
lift elevator
ground_floor downstairs
own myself yourself
person people
holiday vacation
country nation
pdf document
spreadsheet excel csv
picture photo image
plain_text unencrypted
hash hashed
fine_tune train
deadline time_limit
money amount
extra additional surcharge
`
