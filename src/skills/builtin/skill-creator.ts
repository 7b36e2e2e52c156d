/** The built-in skill `skill-creator`: what the model is told when a person wants a skill of their own. */
export const instructions = `# Writing a skill

A skill is a folder with a file SKILL.md. The agent always sees the name and the description of every skill, and reads
the rest only after it has activated one. So the description decides whether the skill is ever used, and the body may
be as detailed as the task needs.

## 1. Find out what it is for

Ask, unless the person has already said:
- Which requests should lead to this skill? Collect two or three real ones, in the person's own words.
- What goes wrong without it? What the agent would do well anyway need not be written down.
- Who is it for: this project (\`.gemini/skills\` in the project, kept with its code) or this person (\`~/.gemini/skills\`)?

## 2. Choose a name and write the head

The folder is called like the skill: lower case, words joined by hyphens, such as \`release-notes\`.

    ---
    name: release-notes
    description: Writes the notes of a release from its commits. Use it when a version is to be tagged or announced.
    ---

The description is one or two sentences: what the skill does, then when to use it. Name the things a request would
mention (file types, tools, events). Quote it when it holds a colon followed by a space.

## 3. Write the body

- Steps in the order in which they are done, as commands: "Run ...", "Compare ...".
- State what a good result looks like, and how to check it before it is handed over.
- Give the exact commands, paths, names and formats. Leave out general advice.
- Say what must not be done, and when to stop and ask.
- Keep it below about 500 lines. What is needed only sometimes goes into a file of its own beside SKILL.md
  (\`references/api.md\`), and the body says when to read it.
- Work that is done the same way every time goes into a script (\`scripts/collect.sh\`): it is cheaper and more reliable
  than words. Say how to call it and what it prints. Files to copy or fill in go into \`assets/\`.

Refer to files of the skill by their paths inside its folder. After activation the folder may be read.

## 4. Try it

1. Run each script once with real input.
2. Have the person reload the skills (\`/skills reload\`) and look at them (\`/skills list\`): a broken head is reported with its line.
3. Give the agent one of the requests of step 1 in a new session. If the skill is not activated, improve the
   description; if the result is off, improve the body where it went wrong.

To share it, put the folder under version control; others install it with \`gemini skills install <git URL or folder>\`.
`
