/** Words and names of everyday questions, and what a text says instead. The lines are as in english.ts. */
export const everydayEnglish = `
pw pwd passwd password
pc computer laptop machine desktop
computer: mac macbook notebook
get_rid_of throw_away throw_out delete remove
kick_out sign_out log_out
get_in let_in sign_in log_in
turn_up show_up arrive
pop_up open appear
hook_up connect integrate link
mess_up break affect harm damage
hang freeze stuck unresponsive
tidy_up organise sort folder group
phone_home telemetry report
screen page view
scrambled encrypted
refresh reload
live up_to_date current
side_by_side next_to_each_other compare comparison
disk storage space
speak voice audio spoken
recording audio voice
gps location
url link address slug
cron cronjob schedule regular nightly
leftover unused remaining rest
roll_over carry_over expire
decline declined refuse fail
downgrade lower_plan
thumbs_up rating
thumbs_down rating
cut_off truncated truncate
openid sso single_sign_on
openid: okta auth0 keycloak entra google
provider: okta openai ollama anthropic mistral google
collector: jaeger zipkin tempo otel opentelemetry
monitoring: grafana datadog prometheus
assistant: claude cursor chatgpt copilot
stream streaming sse
wine: merlot riesling champagne prosecco bordeaux
bake cook roast oven heat
hen_party stag_party bachelorette_party celebration
energy electricity power solar
reserve hold keep
post mail send
smaller shrink
spill stain
exact same identical
vary differ different
bot agent
go_down offline outage unavailable down
crash fail stop
slow lag laggy slowly
broke broken
money_back refund
freebie free
bill charge
hacker attacker attack
botnet flood attack
ddos flood attack
sniff intercept read
leak expose leaked
hide conceal hidden
cookie consent
browser_tab window tab
font typeface
markdown format
throttle rate_limit
too_many_requests rate_limit 429
spend cost budget
invoice bill receipt
apple_pay google_pay wallet
payment: klarna paypal
migrate move transfer switch
expire lapse end
kill stop end terminate
out_of_memory memory ram
cpu processor core
arm arm64
raspberry_pi arm
docker container podman image
kubernetes k8s container cluster
cluster replica
replica instance
load_balancer proxy
https tls certificate
domain host hostname
env environment variable
empty unset blank
dump backup
corrupt damaged
history log
tamper change
thread conversation
remember memory
sources citation
doc docx document
xls excel spreadsheet
crawl read index
sitemap crawl site
price_list document file
courier driver
not_home absent
po_box address
import_duty duty tax
card_message note message
wobble uneven unstable
smell odour
mould mold damp
rust corrosion
polish wax oil
microwave heat
dryer dry
parking_lot garage
`
