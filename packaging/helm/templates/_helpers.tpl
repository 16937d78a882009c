{{- define "offsetd.labels" -}}
app.kubernetes.io/name: offsetd
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
