/** Numbers that texts write with letters, then with digits. */
export const englishNumbers = `
four 4
five 5
six 6
seven 7
eight 8
nine 9
ten 10
eleven 11
twelve 12
fourteen 14
fifteen 15
twenty 20
thirty 30
forty 40
fifty 50
sixty 60
ninety 90
hundred 100
thousand 1000
`

export const germanNumbers = `
vier 4
funf 5
sechs 6
sieben 7
acht 8
neun 9
zehn 10
elf 11
zwolf 12
vierzehn 14
funfzehn 15
zwanzig 20
dreissig 30
vierzig 40
funfzig 50
sechzig 60
neunzig 90
hundert 100
tausend 1000
`
