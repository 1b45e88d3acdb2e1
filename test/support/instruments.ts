// Real scoring instruments as questionnaires, with the scores and cut-offs of their publications, and sets of answers on
// both sides of every cut-off. The labels are ours: short names of the items instead of their full texts.
import type { Entry } from '../../src/domain/scoring/schemas.js';

interface Question {
  readonly questionText: string;
  readonly responseType: 'SELECT' | 'MULTIPLE_SELECT' | 'BOOLEAN';
  readonly required: boolean;
  readonly options: readonly { readonly optionText: string; readonly score: number }[];
}

interface Range {
  readonly minScore: number;
  readonly maxScore: number;
  readonly classification: string;
}

/** A set of answers, with the total and the classification of the publication. */
interface Case {
  /** For each question the place of its option, or in brackets the places of some options, or of none of them. */
  readonly chosen: string;
  readonly total: number;
  readonly classification: string;
}

export interface Instrument {
  readonly name: string;
  readonly source: string;
  readonly licence: string;
  readonly questions: readonly Question[];
  readonly scoreRanges: readonly Range[];
  readonly cases: readonly Case[];
}

const FACTS = 'The scores and cut-offs are facts of the publication. No text of it is used.';
const PFIZER = 'No permission is required to reproduce, translate, display or distribute it (Pfizer).';

const OFTEN = 'Not at all 0 | Several days 1 | More than half the days 2 | Nearly every day 3';
const HOW_OFTEN = 'Never 0 | Less than monthly 1 | Monthly 2 | Weekly 3 | Daily or almost daily 4';
const EVER = 'No 0 | Yes, but not in the last year 2 | Yes, during the last year 4';

// A line is a question or a score range. `one` is a required choice, `yes` a required question with the score of yes,
// and `some` a required list of findings, whose last option says that the patient has none of them. A range has its cases.
const DATA = [
  {
    name: 'PHQ-9',
    source: 'Kroenke K, Spitzer RL, Williams JBW. The PHQ-9. J Gen Intern Med 2001;16:606-613.',
    licence: PFIZER,
    text: `
      one Little interest or pleasure: ${OFTEN}
      one Feeling down or hopeless: ${OFTEN}
      one Trouble with sleep: ${OFTEN}
      one Little energy: ${OFTEN}
      one Poor appetite or overeating: ${OFTEN}
      one Feeling bad about yourself: ${OFTEN}
      one Trouble concentrating: ${OFTEN}
      one Moving slowly, or being restless: ${OFTEN}
      one Thoughts of death or self-harm: ${OFTEN}
      0 to 4 Minimal: 000000000 = 0, 111100000 = 4
      5 to 9 Mild: 111110000 = 5, 111111111 = 9
      10 to 14 Moderate: 211111111 = 10, 222221111 = 14
      15 to 19 Moderately severe: 222222111 = 15, 322222222 = 19
      20 to 27 Severe: 332222222 = 20, 333333333 = 27`,
  },
  {
    name: 'GAD-7',
    source: 'Spitzer RL, Kroenke K, Williams JBW, Löwe B. The GAD-7. Arch Intern Med 2006;166:1092-1097.',
    licence: PFIZER,
    text: `
      one Feeling nervous or anxious: ${OFTEN}
      one Unable to stop worrying: ${OFTEN}
      one Worrying too much: ${OFTEN}
      one Trouble relaxing: ${OFTEN}
      one Being restless: ${OFTEN}
      one Being irritable: ${OFTEN}
      one Feeling afraid: ${OFTEN}
      0 to 4 Minimal: 0000000 = 0, 1111000 = 4
      5 to 9 Mild: 1111100 = 5, 2211111 = 9
      10 to 14 Moderate: 2221111 = 10, 2222222 = 14
      15 to 21 Severe: 3222222 = 15, 3333333 = 21`,
  },
  {
    name: 'AUDIT',
    source:
      'Babor TF, et al. The Alcohol Use Disorders Identification Test. 2nd ed. WHO/MSD/MSB/01.6a. Geneva: WHO; 2001.',
    licence:
      'May be freely reviewed, abstracted, reproduced and translated, but not for sale or for use in conjunction with commercial purposes (World Health Organization).',
    text: `
      one How often a drink: Never 0 | Monthly or less 1 | 2 to 4 a month 2 | 2 or 3 a week 3 | 4 or more a week 4
      one Drinks on a typical day: 1 or 2 0 | 3 or 4 1 | 5 or 6 2 | 7 to 9 3 | 10 or more 4
      one Six or more drinks: ${HOW_OFTEN}
      one Unable to stop: ${HOW_OFTEN}
      one Failed what was expected: ${HOW_OFTEN}
      one A drink in the morning: ${HOW_OFTEN}
      one Guilt: ${HOW_OFTEN}
      one No memory of the night before: ${HOW_OFTEN}
      one Somebody was injured: ${EVER}
      one Somebody was concerned: ${EVER}
      0 to 7 Zone I: 0000000000 = 0, 4300000000 = 7
      8 to 15 Zone II: 4400000000 = 8, 4443000000 = 15
      16 to 19 Zone III: 4440000002 = 16, 4443000011 = 19
      20 to 40 Zone IV: 4444000011 = 20, 4444444422 = 40`,
  },
  {
    name: 'Glasgow Coma Scale',
    source: 'Teasdale G, Jennett B. Lancet 1974;2:81-84. Teasdale G, et al. Lancet Neurol 2014;13:844-854.',
    licence: FACTS,
    text: `
      one Eyes: None 1 | To pressure 2 | To sound 3 | Spontaneous 4
      one Speech: None 1 | Sounds 2 | Words 3 | Confused 4 | Oriented 5
      one Movement: None 1 | Extension 2 | Abnormal flexion 3 | Normal flexion 4 | Localising 5 | Obeys 6
      3 to 8 Severe: 000 = 3, 113 = 8
      9 to 12 Moderate: 123 = 9, 234 = 12
      13 to 15 Mild: 334 = 13, 345 = 15`,
  },
  {
    name: 'Apgar',
    source:
      'Apgar V. Curr Res Anesth Analg 1953;32:260-267. ACOG Committee Opinion 644. Obstet Gynecol 2015;126:e52-e55.',
    licence: FACTS,
    text: `
      one Heart rate: Absent 0 | Below 100 1 | 100 or more 2
      one Breathing: Absent 0 | Weak 1 | Good cry 2
      one Tone: Limp 0 | Some flexion 1 | Active 2
      one Reflexes: None 0 | Grimace 1 | Cry 2
      one Colour: Blue or pale 0 | Blue hands and feet 1 | Pink 2
      0 to 3 Low: 00000 = 0, 11100 = 3
      4 to 6 Moderately abnormal: 11110 = 4, 21111 = 6
      7 to 10 Reassuring: 22111 = 7, 22222 = 10`,
  },
  {
    name: 'CURB-65',
    source: 'Lim WS, et al. Defining community acquired pneumonia severity. Thorax 2003;58:377-382.',
    licence: FACTS,
    text: `
      yes Confusion 1
      yes Urea above 7 mmol/L 1
      yes 30 breaths a minute or more 1
      yes Low blood pressure 1
      yes 65 years or older 1
      0 to 1 Low mortality: 00000 = 0, 00001 = 1
      2 to 2 Intermediate mortality: 10001 = 2, 01100 = 2
      3 to 5 High mortality: 11001 = 3, 11111 = 5`,
  },
  {
    name: 'qSOFA',
    source: 'Singer M, et al. The third international consensus definitions for sepsis. JAMA 2016;315:801-810.',
    licence: FACTS,
    text: `
      some Criteria: 22 breaths a minute or more 1 | Altered mentation 1 | Systolic pressure of 100 mmHg or less 1
      0 to 1 Negative: [] = 0, [1] = 1
      2 to 3 Positive: [02] = 2, [012] = 3`,
  },
  {
    name: 'CHA2DS2-VASc',
    source: 'Lip GYH, et al. Refining clinical risk stratification for stroke. Chest 2010;137:263-272.',
    licence: FACTS,
    text: `
      one Age: Below 65 0 | 65 to 74 1 | 75 or older 2
      one Sex: Male 0 | Female 1
      some History: Heart failure 1 | Hypertension 1 | Diabetes 1 | Stroke, TIA or embolism 2 | Vascular disease 1
      0 to 0 Low risk: 00[] = 0
      1 to 1 Intermediate risk: 10[] = 1
      2 to 9 High risk: 00[3] = 2, 11[] = 2, 21[01234] = 9`,
  },
  {
    name: 'Child-Pugh',
    source: 'Pugh RNH, et al. Transection of the oesophagus for bleeding varices. Br J Surg 1973;60:646-649.',
    licence: FACTS,
    text: `
      one Bilirubin (mg/dL): Below 2 1 | 2 to 3 2 | Above 3 3
      one Albumin (g/dL): Above 3.5 1 | 2.8 to 3.5 2 | Below 2.8 3
      one Prothrombin time (s prolonged): Below 4 1 | 4 to 6 2 | Above 6 3
      one Ascites: Absent 1 | Slight 2 | Moderate 3
      one Encephalopathy: None 1 | Grade 1 or 2 2 | Grade 3 or 4 3
      5 to 6 A: 00000 = 5, 10000 = 6
      7 to 9 B: 11000 = 7, 21100 = 9
      10 to 15 C: 21110 = 10, 22222 = 15`,
  },
  {
    name: 'Wells score for pulmonary embolism',
    source: 'Wells PS, et al. Derivation of a simple clinical model. Thromb Haemost 2000;83:416-420.',
    licence: FACTS,
    text: `
      yes Signs of deep vein thrombosis 3
      yes Another diagnosis is less likely 3
      yes Heart rate above 100 1.5
      yes Immobilisation or surgery in the last four weeks 1.5
      yes Previous thrombosis or embolism 1.5
      yes Haemoptysis 1
      yes Malignancy 1
      0 to 4 Unlikely: 0000000 = 0, 1000010 = 4, 0011010 = 4
      4.5 to 12.5 Likely: 0101000 = 4.5, 0011100 = 4.5, 1111111 = 12.5`,
  },
  {
    name: 'HAS-BLED',
    source:
      'Pisters R, et al. A novel user-friendly score to assess the risk of major bleeding. Chest 2010;138:1093-1100.',
    licence: FACTS,
    text: `
      some Disease: Hypertension 1 | Abnormal renal function 1 | Abnormal liver function 1 | Stroke 1 | Bleeding 1
      some Other risks: Labile INR 1 | Older than 65 1 | Drugs 1 | Alcohol 1
      0 to 2 Not high: [][] = 0, [0][1] = 2
      3 to 9 High: [03][1] = 3, [01234][0123] = 9`,
  },
] as const;

const optionsIn = (text: string): Question['options'] =>
  text.split(' | ').map((option) => {
    const [, optionText = '', score] = /^(.*) (\S+)$/.exec(option) ?? [];
    return { optionText, score: Number(score) };
  });

const KINDS: Readonly<Record<string, (rest: string) => Question>> = {
  one: (rest) => {
    const [, questionText = '', options = ''] = /^(.*?): (.*)$/.exec(rest) ?? [];
    return { questionText, responseType: 'SELECT', required: true, options: optionsIn(options) };
  },
  some: (rest) => {
    const [, questionText = '', options = ''] = /^(.*?): (.*)$/.exec(rest) ?? [];
    return { questionText, responseType: 'MULTIPLE_SELECT', required: true, options: optionsIn(`${options} | None 0`) };
  },
  yes: (rest) => {
    const [, questionText = '', score] = /^(.*) (\S+)$/.exec(rest) ?? [];
    return { questionText, responseType: 'BOOLEAN', required: true, options: optionsIn(`No 0 | Yes ${score}`) };
  },
};

const RANGE = /^(\S+) to (\S+) (.*): (.*)$/;

const instrumentOf = ({ text, ...about }: (typeof DATA)[number]): Instrument => {
  const lines = text.trim().split(/\s*\n\s*/);
  const ranges = lines.flatMap((line) => {
    const [, min, max, classification = '', cases = ''] = RANGE.exec(line) ?? [];
    return min === undefined ? [] : [{ minScore: Number(min), maxScore: Number(max), classification, cases }];
  });
  return {
    ...about,
    questions: lines.flatMap((line) => KINDS[line.split(' ', 1)[0] ?? '']?.(line.slice(line.indexOf(' ') + 1)) ?? []),
    scoreRanges: ranges.map(({ cases: _, ...range }) => range),
    cases: ranges.flatMap(({ classification, cases }) =>
      cases.split(', ').map((each) => {
        const [chosen = '', total] = each.split(' = ');
        return { chosen, total: Number(total), classification };
      }),
    ),
  };
};

export const instruments: readonly Instrument[] = DATA.map(instrumentOf);

/** Returns the answers of a case to a form that was made from its instrument. */
export const answersTo = (
  questions: readonly { readonly id: string; readonly options: readonly { readonly id: string }[] }[],
  { chosen }: Case,
): readonly Entry[] =>
  [...chosen.matchAll(/\d|\[\d*\]/g)].flatMap(([places], index) => {
    const { id = '', options = [] } = questions[index] ?? {};
    const chosenOptions = [...places.replaceAll(/\D/g, '')].map((place) => options[Number(place)]);
    return [
      {
        questionId: id,
        optionIds: (places === '[]' ? options.slice(-1) : chosenOptions).flatMap((each) => each?.id ?? []),
      },
    ];
  });
