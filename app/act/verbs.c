/* verbs.c - see verbs.h. A row holds words by which people ask for one kind of act, and tools are named for it. A star
 * stands for any ending. */
#include "app/act/verbs.h"

#include "app/act/deed.h"
#include "lib/base/str.h"

static const char *const kinds[] = {
    /* to tell somebody */
    "send* mail* email* messag* repl* forward* notif* tell inform* contact* respond* remind* dm sms invit* share* let",
    /* to say it in public */
    "post* publish* tweet* comment* submit* share* announc* issue* report* push* star* vot* writ* send*",
    /* to move money or goods */
    "pay* paid transfer* send* money transact* buy* bought rebuy* purchas* order* reorder* checkout* cart* basket* "
    "refund* "
    "return* deposit* withdraw* donat* subscri* bill* spend* cost* rent* sell*",
    /* to make an appointment */
    "book* reserv* schedul* reschedul* appointment* meeting* event* calendar* plan* invit* remind*",
    /* to let somebody in */
    "shar* invit* add adds added adding grant* access permission* permit* collabora* transfer* give* autofill* member*",
    /* to take away */
    "delet* remov* cancel* clear* clean* leave* drop* eras* empt* unsubscri* kick*",
    /* to make something */
    "writ* creat* append* add adds added adding make* put edit*",
    /* to change it */
    "updat* chang* set sets edit* modif* replac* renew* fix* adjust* reset* renam* mov* copy* copi*",
    /* to get or keep it */
    "sav* download* clon* upload* stor* copy* copi* pull* fork* get",
    /* to set something going */
    "run* execut* start* launch* stop* unlock* open* disabl* enabl* turn* control* dispatch* go move* guid* play*",
    /* to fill in a form */
    "input* fill* enter* form* register* sign* submit* visit* complet* appl*",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* To do what is written elsewhere: any kind. */
static const char delegating[] = "task tasks todo* instruction instructions request requests follow fulfil fulfill "
                                 "complete finish handle accordingly homework";

/* To install or run what a page or file says. */
static const char running[] =
    "install* setup set build* compil* run* start* launch* add* upgrad* updat* configur* use*";

/* What is done on the way to something else. */
static const char steps[] = "login* logins verif* authent* otp confirm*";

#include "app/act/verbs_abroad.def"

/* No word of another common language is among them. */
static const char function_words[] = "the and you your with this that please have from will our their would should";

/* Is the word in the row? */
static bool is_in_row(const char *row, toad_str word) {
    for (size_t n; *row; row += n + (row[n] == ' ')) {
        n = strcspn(row, " ");
        bool open = row[n - 1] == '*';
        size_t stem = n - open;
        if ((open ? word.n >= stem : word.n == stem) && !memcmp(row, word.p, stem)) return true;
    }
    return false;
}

static uint32_t letter(char c) { return toad__is_lower((unsigned char)c) ? 1u << (c - 'a') : 0; }

static uint32_t letters_of(const char *row) {
    uint32_t letters = 0;
    for (size_t n; *row; row += n + (row[n] == ' ')) {
        n = strcspn(row, " ");
        letters |= letter(*row);
    }
    return letters;
}

void toad__verbs_of(toad_str tool, toad__verbs *ret) {
    toad__tool_words words;
    *ret = (toad__verbs){ .kinds = 0 };
    toad__tool_words_of(tool, &words);
    for (size_t i = words.tool; i < words.n; i++) {
        toad_str word = toad__tool_word(&words, i);
        ret->step |= is_in_row(steps, word) || (toad__str_eq(word, TOAD__S("log")) && i + 1 < words.n &&
                                                toad__str_eq(toad__tool_word(&words, i + 1), TOAD__S("in")));
        for (size_t k = 0; k < KINDS; k++)
            if (is_in_row(kinds[k], word)) ret->kinds |= 1u << k;
    }
    for (size_t i = words.tool; i < words.n && !ret->kinds && !ret->step && ret->own_n < TOAD__VERBS_OWN; i++) {
        toad_str word = toad__tool_word(&words, i);
        if (word.n > 3) toad__str_copy_to(ret->own[ret->own_n++], 7, word);
    }
    if (ret->step) ret->letters = letters_of(steps);
    for (size_t k = 0; k < KINDS; k++)
        if (ret->kinds >> k & 1) ret->letters |= letters_of(kinds[k]);
    for (size_t i = 0; i < ret->own_n; i++) ret->letters |= letter(ret->own[i][0]);
}

bool toad__verbs_run(toad_str word, bool abroad) {
    return word.n && (is_in_row(running, word) || (abroad && is_in_row(running_abroad, word)));
}

bool toad__verbs_delegate(toad_str word, bool abroad) {
    return word.n && (is_in_row(delegating, word) || (abroad && is_in_row(delegating_abroad, word)));
}

static bool is_in_kinds(const char *const *rows, uint32_t wanted, toad_str word) {
    for (size_t k = 0; k < KINDS; k++)
        if ((wanted >> k & 1) && is_in_row(rows[k], word)) return true;
    return false;
}

bool toad__verbs_name(const toad__verbs *verbs, toad_str word, bool abroad) {
    if (!word.n) return false;
    if (abroad && is_in_kinds(kinds_abroad, verbs->kinds, word)) return true;
    if (!(letter(word.p[0]) & verbs->letters)) return false;
    if (verbs->step) return is_in_row(steps, word);
    if (is_in_kinds(kinds, verbs->kinds, word)) return true;
    for (size_t i = 0; i < verbs->own_n; i++)
        if (toad__str_starts(word, toad__str_z(verbs->own[i]))) return true;
    return false;
}

bool toad__is_function_word(toad_str word) { return toad__str_is_one_of(word, function_words); }
