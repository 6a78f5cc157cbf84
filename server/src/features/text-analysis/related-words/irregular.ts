/**
 * English words whose forms share no stem: the base form, then the others. Common verbs that carry no
 * subject, such as `be`, are missing.
 */
export const irregular = `
arise arose arisen
awake awoke awoken
beat beaten
become became
begin began begun
bend bent
bind bound
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen choice
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fly flew flown flight
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
give gave given
go went gone
grow grew grown growth
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known knowledge
lay laid
lead led
lean leant
learn learnt
leave left
lend lent
light lit
lose lost loss
make made
mean meant
meet met
mistake mistook mistaken
overwrite overwrote overwritten
pay paid
prove proven proof
rebuild rebuilt
repay repaid
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise rose risen
run ran
say said
see saw seen
seek sought
sell sold sale
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
smell smelt
speak spoke spoken speech
spell spelt
spend spent
spill spilt
spin spun
spoil spoilt
stand stood
steal stole stolen theft
stick stuck
strike struck
swear swore sworn
sweep swept
swim swam swum
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
understand understood
undo undid undone
wake woke woken
wear wore worn
weave wove woven
weep wept
weigh weight
win won
wind wound
withdraw withdrew withdrawn
write wrote written
child children
foot feet
goose geese
knife knives
leaf leaves
life lives
loaf loaves
man men
mouse mice
person people
shelf shelves
thief thieves
tooth teeth
wife wives
woman women
wolf wolves
datum data
criterion criteria
index indices
matrix matrices
high height
long length
wide width
deep depth
strong strength
warm warmth
hot heat
free freedom
`
