(* Differential privacy of the laws of a mechanism on a measurable space, and what the definition alone gives:
   monotonicity, post-processing, group privacy, adaptive composition, bounded densities, the exponential mechanism.
   Claims: the definitions of the five documents, cross.adjacency, and all that rest on composition. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import signed reals ereal topology normedtype sequences esum measure.
From mathcomp Require Import lebesgue_measure numfun lebesgue_integral exp.
Import GRing.Theory Num.Theory Order.TTheory.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section definition.
Context {d : measure_display} {T : measurableType d} {R : realType}.
Implicit Types P Q : set T -> \bar R.

(* one law against another: P(S) <= e^eps Q(S) + delta for every measurable set of outputs *)
Definition indistinguishable (eps delta : R) P Q :=
  forall S, measurable S -> P S <= (expR eps)%:E * Q S + delta%:E.

(* a mechanism: the law of its output for every data set, private for a relation of neighbours *)
Definition differentially_private (D : Type) (neighbours : D -> D -> Prop) (eps delta : R) (M : D -> set T -> \bar R) :=
  forall x y, neighbours x y -> indistinguishable eps delta (M x) (M y).

Lemma indistinguishable_weaker eps eps' delta delta' P Q : (forall S, 0 <= Q S) ->
  (eps <= eps')%R -> (delta <= delta')%R -> indistinguishable eps delta P Q -> indistinguishable eps' delta' P Q.
Proof.
move=> Q0 ee dd h S mS; apply: (le_trans (h _ mS)); apply: lee_add; last by rewrite lee_fin.
by apply: lee_wpmul2r => //; rewrite lee_fin ler_expR.
Qed.

Lemma expR_ge0E (x : R) : 0 <= (expR x)%:E. Proof. by rewrite lee_fin ltW// expR_gt0. Qed.

(* k steps from neighbour to neighbour *)
Fixpoint apart (D : Type) (neighbours : D -> D -> Prop) (k : nat) (x y : D) : Prop :=
  if k is k'.+1 then exists2 z, neighbours x z & apart neighbours k' z y else x = y.

Theorem group_privacy (D : Type) (neighbours : D -> D -> Prop) eps delta (M : D -> set T -> \bar R) k :
  differentially_private neighbours eps delta M ->
  differentially_private (apart neighbours k) (eps *+ k) (delta * \sum_(i < k) expR (eps *+ i))%R M.
Proof.
move=> dpM; elim: k => [x _ <- S mS|k IH x y [z xz zy] S mS] /=.
  by rewrite mulr0n expR0 mul1e big_ord0 mulr0 adde0.
apply: (le_trans (dpM _ _ xz _ mS)).
apply: (@le_trans _ _ ((expR eps)%:E *
    ((expR (eps *+ k))%:E * M y S + (delta * \sum_(i < k) expR (eps *+ i))%R%:E) + delta%:E)).
  by apply: lee_add2r; apply: lee_wpmul2l; [exact: expR_ge0E | exact: IH zy _ mS].
rewrite muleDr//; last by rewrite fin_num_adde_def.
rewrite muleA -EFinM -expRD -mulrS -addeA -EFinM -EFinD lee_add2l// lee_fin.
have -> : (\sum_(i < k.+1) expR (eps *+ i) = 1 + expR eps * \sum_(i < k) expR (eps *+ i))%R.
  by rewrite big_ord_recl mulr0n expR0 mulr_sumr; congr (_ + _)%R; apply: eq_bigr => i _; rewrite -expRD -mulrS.
by rewrite mulrDr mulr1 addrC mulrCA.
Qed.
End definition.

(* what is computed from the output is as private as the output *)
Section post_processing.
Context {d1 d2 : measure_display} {T : measurableType d1} {U : measurableType d2} {R : realType}.

(* the law of f(X) where X has law P *)
Definition image_law (f : T -> U) (P : set T -> \bar R) : set U -> \bar R := fun S => P (f @^-1` S).

Theorem post_processing (D : Type) (neighbours : D -> D -> Prop) eps delta (M : D -> set T -> \bar R) (f : T -> U) :
  measurable_fun setT f -> differentially_private neighbours eps delta M ->
  differentially_private neighbours eps delta (fun x => image_law f (M x)).
Proof. by move=> mf dpM x y xy S mS; apply: dpM => //; rewrite -[X in measurable X]setTI; exact: mf. Qed.
End post_processing.

(* integrals of what is not negative, with respect to a measure that another one bounds *)
Section domination.
Context {d : measure_display} {T : measurableType d} {R : realType}.
Variables (mu nu : {measure set T -> \bar R}) (c : R).
Hypothesis c0 : (0 <= c)%R.
Hypothesis mn : forall S, measurable S -> mu S <= c%:E * nu S.

Lemma dominated_integral (f : T -> \bar R) : (forall x, 0 <= f x) -> \int[mu]_x f x <= c%:E * \int[nu]_x f x.
Proof.
move=> f0; rewrite !ge0_integralTE//; apply: ub_ereal_sup => _ [h hf <-].
apply: (@le_trans _ _ (c%:E * sintegral nu h)).
  rewrite !sintegralE ge0_mule_fsumr; last by move=> x; exact: nnsfun_mulemu_ge0.
  by apply: lee_fsum => // x [t _ <-]; rewrite muleCA; apply: lee_wpmul2l; [rewrite lee_fin | exact: mn].
by apply: lee_wpmul2l; [rewrite lee_fin | apply: ereal_sup_ub; exists h].
Qed.
End domination.

(* a second mechanism that sees the first output: k x is the law of the second output where the first is x *)
Section composition.
Context {d1 d2 : measure_display} {T : measurableType d1} {U : measurableType d2} {R : realType}.

Definition kernel (k : T -> {measure set U -> \bar R}) :=
  forall S : set (T * U), measurable S -> measurable_fun setT (fun x => k x (xsection S x)).

(* the joint law of both outputs *)
Definition joint (P : {measure set T -> \bar R}) (k : T -> {measure set U -> \bar R}) (mk : kernel k) :
  set (T * U) -> \bar R := fun S => \int[P]_x k x (xsection S x).

Section measure.
Variables (P : {measure set T -> \bar R}) (k : T -> {measure set U -> \bar R}) (mk : kernel k).
Lemma joint0 : joint P mk set0 = 0.
Proof. by rewrite /joint (eq_integral (cst 0)) ?integral0//= => x _; rewrite xsection0 measure0. Qed.
Lemma joint_ge0 S : 0 <= joint P mk S. Proof. by apply: integral_ge0 => x _; exact: measure_ge0. Qed.
Lemma joint_sigma_additive : semi_sigma_additive (joint P mk).
Proof.
move=> F mF tF mUF; have -> : joint P mk (\bigcup_n F n) = \sum_(n <oo) joint P mk (F n).
  transitivity (\int[P]_x \sum_(n <oo) k x (xsection (F n) x)).
    apply: eq_integral => x _; apply/esym/cvg_lim => //=; rewrite xsection_bigcup.
    apply: (measure_sigma_additive _ (trivIset_xsection tF)).
    by move=> ?; exact: measurable_xsection.
  by rewrite integral_nneseries // => n; exact: mk.
apply/cvg_closeP; split; last by rewrite closeE.
by apply: is_cvg_nneseries => *; exact: joint_ge0.
Qed.
HB.instance Definition _ := isMeasure.Build _ _ _ (joint P mk) joint0 joint_ge0 joint_sigma_additive.
End measure.

Lemma adaptive_composition (D : Type) (neighbours : D -> D -> Prop) e1 e2
    (M : D -> {measure set T -> \bar R}) (N : D -> T -> {measure set U -> \bar R}) (mN : forall x, kernel (N x)) :
  differentially_private neighbours e1 0 M ->
  (forall t, differentially_private neighbours e2 0 (fun x => N x t)) ->
  differentially_private neighbours (e1 + e2) 0 (fun x => joint (M x) (mN x)).
Proof.
move=> dpM dpN x y xy S mS; rewrite adde0 expRD EFinM -muleA.
apply: (@le_trans _ _ ((expR e1)%:E * \int[M y]_t N x t (xsection S t))).
  apply: dominated_integral => [|A mA|t]; [exact/ltW/expR_gt0| |exact: measure_ge0].
  by have := dpM _ _ xy _ mA; rewrite adde0.
apply: lee_wpmul2l; first exact: expR_ge0E.
rewrite -ge0_integralM//; [|exact: mN|exact: expR_ge0E].
apply: ge0_le_integral => //.
- exact: mN.
- by move=> t _; apply: mule_ge0 => //; exact: expR_ge0E.
- by apply: measurable_funeM; exact: mN.
- move=> t _; have := dpN t _ _ xy (xsection S t); rewrite adde0; apply; exact: measurable_xsection.
Qed.
End composition.

(* laws with a density, and the exponential mechanism *)
Section density.
Context {d : measure_display} {T : measurableType d} {R : realType}.
Variable mu : {measure set T -> \bar R}.

(* the law of density f with respect to the measure mu *)
Definition density_law (f : T -> \bar R) (S : set T) : \bar R := \int[mu]_(x in S) f x.

Lemma density_law_ge0 f S : (forall x, 0 <= f x) -> 0 <= density_law f S.
Proof. by move=> f0; apply: integral_ge0. Qed.

Lemma density_law_le (f g : T -> \bar R) (c : R) S : (0 <= c)%R -> measurable S ->
  (forall x, 0 <= f x) -> (forall x, 0 <= g x) -> measurable_fun setT f -> measurable_fun setT g ->
  (forall x, f x <= c%:E * g x) -> density_law f S <= c%:E * density_law g S.
Proof.
move=> c0 mS f0 g0 mf mg fg; rewrite /density_law -ge0_integralM//; last exact: (measurable_funS measurableT).
apply: ge0_le_integral => //.
- exact: (measurable_funS measurableT).
- by move=> x _; apply: mule_ge0 => //; rewrite lee_fin.
- by apply: measurable_funeM; exact: (measurable_funS measurableT).
Qed.

Theorem bounded_density_ratio (f g : T -> \bar R) (eps : R) :
  (forall x, 0 <= f x) -> (forall x, 0 <= g x) -> measurable_fun setT f -> measurable_fun setT g ->
  (forall x, f x <= (expR eps)%:E * g x) -> indistinguishable eps 0 (density_law f) (density_law g).
Proof. by move=> *; move=> S mS; rewrite adde0; apply: density_law_le => //; exact/ltW/expR_gt0. Qed.
End density.

Lemma measurable_expR (R : realType) : measurable_fun setT (@expR R).
Proof. by apply: continuous_measurable_fun; exact: continuous_expR. Qed.

Section exponential_mechanism.
Context {d : measure_display} {T : measurableType d} {R : realType}.
Variable mu : {measure set T -> \bar R}.

Definition weight (s : T -> R) (x : T) : \bar R := (expR (s x))%:E.
Definition normaliser (s : T -> R) : \bar R := \int[mu]_x weight s x.
(* the output has density exp(score) / normaliser *)
Definition exponential_mechanism (s : T -> R) : set T -> \bar R :=
  density_law mu (fun x => ((fine (normaliser s))^-1)%:E * weight s x).

Lemma weight_ge0 s x : 0 <= weight s x. Proof. exact: expR_ge0E. Qed.
Lemma weight_measurable s : measurable_fun setT s -> measurable_fun setT (weight s).
Proof.
move=> ms; apply: measurable_fun_comp; first exact: measurable_fun_EFin.
by apply: measurable_fun_comp => //; exact: measurable_expR.
Qed.

(* one data set scores s, its neighbour t *)
Theorem exponential_mechanism_is_private (s t : T -> R) (eps : R) :
  measurable_fun setT s -> measurable_fun setT t -> 0 < normaliser s < +oo -> 0 < normaliser t < +oo ->
  (forall x, `|s x - t x| <= eps / 2%:R)%R ->
  indistinguishable eps 0 (exponential_mechanism s) (exponential_mechanism t).
Proof.
move=> ms mt Zs Zt st; set h := (eps / 2%:R)%R.
have hh : (eps = h + h)%R by rewrite /h -mulrDl -mulr2n -[X in (X / _)%R]mulr_natr mulfK// pnatr_eq0.
have up u v : (forall x, `|u x - v x| <= h)%R -> forall x, (expR (u x) <= expR h * expR (v x))%R.
  by move=> uv x; rewrite -expRD ler_expR -ler_subl_addr (le_trans _ (uv x))// ler_norm.
have fs : normaliser s \is a fin_num by rewrite ge0_fin_numE; case/andP: Zs => // /ltW.
have ft : normaliser t \is a fin_num by rewrite ge0_fin_numE; case/andP: Zt => // /ltW.
have ps : (0 < fine (normaliser s))%R by apply: fine_gt0.
have pt : (0 < fine (normaliser t))%R by apply: fine_gt0.
have zz : (fine (normaliser t) <= expR h * fine (normaliser s))%R.
  rewrite -lee_fin EFinM !fineK//; apply: (@density_law_le _ _ _ mu _ _ _ setT) => //.
  - exact/ltW/expR_gt0.
  - exact: weight_ge0.
  - exact: weight_ge0.
  - exact: weight_measurable.
  - exact: weight_measurable.
  - by move=> x; rewrite /weight -EFinM lee_fin; apply: up => y; rewrite distrC.
apply: bounded_density_ratio.
- by move=> x; apply: mule_ge0; [rewrite lee_fin invr_ge0 ltW | exact: weight_ge0].
- by move=> x; apply: mule_ge0; [rewrite lee_fin invr_ge0 ltW | exact: weight_ge0].
- by apply: measurable_funeM; exact: weight_measurable.
- by apply: measurable_funeM; exact: weight_measurable.
move=> x; rewrite /weight -!EFinM lee_fin hh expRD.
have -> : (expR h * expR h * ((fine (normaliser t))^-1 * expR (t x)) =
           (expR h / fine (normaliser t)) * (expR h * expR (t x)))%R by rewrite mulrACA.
apply: ler_pmul; [by rewrite invr_ge0 ltW | exact/ltW/expR_gt0 | | exact: up].
by rewrite ler_pdivl_mulr// mulrC ler_pdivr_mulr.
Qed.
End exponential_mechanism.
